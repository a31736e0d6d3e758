// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/terminal.h"

#include <fcntl.h>
#include <io.h>

#include <cstdio>

namespace thimble {

// Streams that the caller closed are no handles there, and no file takes their place.
void occupy_standard_streams() {
  _setmode(_fileno(stdout), _O_BINARY);
  _setmode(_fileno(stderr), _O_BINARY);
}

void ignore_closed_pipes() {}

bool error_is_terminal() { return _isatty(_fileno(stderr)) != 0; }

}  // namespace thimble
