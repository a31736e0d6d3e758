// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/remote_host.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "thimble/model/error.h"
#include "thimble/toolchain/serve_remote.h"

namespace thimble {
namespace {

constexpr uint64_t kSessions = 1;  // seed of their numbers: no other host serves this line

int listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path)
    throw CompileError(path.string(), "is too long for the path of a socket");
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) ||
      listen(listening, 1) != 0) {
    const int error = errno;
    if (listening >= 0) close(listening);
    throw CompileError(path.string(),
                       std::string("cannot be listened to: ") + std::strerror(error));
  }
  return listening;
}

}  // namespace

RemoteHost::RemoteHost(const std::filesystem::path& path, uint32_t capacity_bytes)
    : store_(capacity_bytes, kSessions), listening_(listen_at(path)) {
  thread_ = std::thread([this] {
    const int line = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (line < 0) return;
    serve_remote(store_, line, line);
    close(line);
  });
}

void RemoteHost::end() {
  if (!thread_.joinable()) return;
  shutdown(listening_, SHUT_RDWR);
  thread_.join();
  close(listening_);
}

}  // namespace thimble
