// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/serve_remote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <utility>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr size_t kMostPendingBytes = size_t{1} << 20;
// A pipe that poll() calls writable takes so many without blocking (POSIX).
constexpr size_t kChunkBytes = PIPE_BUF;
constexpr int kDrainMilliseconds = 1000;

constexpr std::pair<int, speed_t> kBauds[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {921600, B921600},
    {1000000, B1000000}, {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000}};

[[noreturn]] void reject_device(const std::string& name, const std::string& why) {
  throw CompileError(name, fmt::format("{}; a line is a serial port (/dev/ttyACM0), "
                                       "tcp:HOST:PORT, listen:PORT, a socket, or -",
                                       why));
}

[[noreturn]] void reject_errno(const std::string& name, const char* what) {
  reject_device(name, fmt::format("{}: {}", what, std::strerror(errno)));
}

void make_raw(const std::string& name, int line, int baud) {
  termios settings{};
  if (tcgetattr(line, &settings) != 0) reject_errno(name, "is not set up");
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  const auto* known = std::ranges::find(kBauds, baud, &std::pair<int, speed_t>::first);
  if (known == std::end(kBauds)) {
    throw CompileError("--baud", fmt::format("{} is none of 9600, 19200, 38400, 57600, 115200, "
                                             "230400, 460800, 921600, 1000000, .. 4000000",
                                             baud));
  }
  cfsetspeed(&settings, known->second);
  if (tcsetattr(line, TCSANOW, &settings) != 0) reject_errno(name, "is not set up");
}

int connect_path(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) reject_device(name, "is too long for a socket");
  std::copy(name.begin(), name.end(), address.sun_path);
  const int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (line < 0 || connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (line >= 0) close(line);
    reject_errno(name, "does not answer");
  }
  return line;
}

int connect_tcp(const std::string& name, const std::string& place) {
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0) reject_device(name, "has no HOST:PORT");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(place.substr(0, colon).c_str(), place.substr(colon + 1).c_str(), &hints, &found);
  if (failed != 0) reject_device(name, fmt::format("is not found: {}", gai_strerror(failed)));
  int line = -1;
  int error = ECONNREFUSED;
  for (const addrinfo* at = found; at != nullptr && line < 0; at = at->ai_next) {
    line = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (line >= 0 && connect(line, at->ai_addr, at->ai_addrlen) != 0) {
      error = errno;
      close(std::exchange(line, -1));
    }
  }
  freeaddrinfo(found);
  errno = error;
  if (line < 0) reject_errno(name, "does not answer");
  return line;
}

int accept_tcp(const std::string& name, const std::string& port) {
  uint16_t number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || number == 0)
    reject_device(name, "has no port from 1 to 65535");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(number);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (listening >= 0) setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listening < 0 || bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) ||
      listen(listening, 1) != 0) {
    if (listening >= 0) close(listening);
    reject_errno(name, "cannot be listened to");
  }
  int line = -1;
  while ((line = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)) < 0 && errno == EINTR) {
  }
  close(listening);
  if (line < 0) reject_errno(name, "got no connection");
  return line;
}

int open_path(const std::string& name, int baud) {
  struct stat status {};
  if (stat(name.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) return connect_path(name);
  // Nothing is made, and no regular file is written over.
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) reject_device(name, "is no line");
  const int line = open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (line < 0) reject_errno(name, "cannot be opened");
  if (isatty(line) != 0) {
    try {
      make_raw(name, line, baud);
    } catch (...) {
      close(line);
      throw;
    }
  }
  return line;
}

bool is_socket(int line) {
  struct stat status {};
  return fstat(line, &status) == 0 && S_ISSOCK(status.st_mode);
}

// The count that was read or written, 0 where there was no room or nothing to be had, -1 at the
// end. (A pseudoterminal whose other end was closed says EIO.)
ssize_t outcome(ssize_t count) {
  if (count >= 0) return count;
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
}

}  // namespace

SerialDevice::SerialDevice(const std::string& name, int baud) {
  if (name == "-") {
    input_ = STDIN_FILENO;
    output_ = STDOUT_FILENO;
    return;
  }
  int line = -1;
  if (name.starts_with("tcp:")) {
    line = connect_tcp(name, name.substr(4));
  } else if (name.starts_with("listen:")) {
    line = accept_tcp(name, name.substr(7));
  } else {
    line = open_path(name, baud);
  }
  fcntl(line, F_SETFL, fcntl(line, F_GETFL) | O_NONBLOCK);
  const int yes = 1;  // of no effect on what is no TCP socket
  setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  input_ = output_ = line;
  owned_ = true;
}

SerialDevice::~SerialDevice() {
  if (owned_) close(input_);
}

void serve_remote(RemoteStore& store, int input, int output) {
  std::vector<uint8_t> pending;
  const bool socket = is_socket(output);
  bool ended = false;
  while (!ended || !pending.empty()) {
    std::array<pollfd, 2> waits{
        {{ended ? -1 : input, POLLIN, 0}, {pending.empty() ? -1 : output, POLLOUT, 0}}};
    const int ready = poll(waits.data(), waits.size(), ended ? kDrainMilliseconds : -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0) return;
    if (waits[0].revents != 0) {
      std::array<uint8_t, kChunkBytes> chunk;
      const ssize_t raw = read(input, chunk.data(), chunk.size());
      const ssize_t count = raw == 0 ? -1 : outcome(raw);
      ended = count < 0;
      if (count > 0) {
        const std::vector<uint8_t> answers = store.take({chunk.data(), static_cast<size_t>(count)});
        if (pending.size() + answers.size() <= kMostPendingBytes)
          pending.insert(pending.end(), answers.begin(), answers.end());
      }
    }
    if (waits[1].revents != 0) {
      const size_t most = std::min(pending.size(), kChunkBytes);
      // Where the other end is gone the signal would end the process.
      const ssize_t count = outcome(socket ? send(output, pending.data(), most, MSG_NOSIGNAL)
                                           : write(output, pending.data(), most));
      if (count < 0) return;
      pending.erase(pending.begin(), pending.begin() + count);
    }
  }
}

}  // namespace thimble
