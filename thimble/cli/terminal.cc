// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace thimble {

void occupy_standard_streams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) {
      [[maybe_unused]] const int taken =
          open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

void ignore_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

bool error_is_terminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace thimble
