// SPDX-License-Identifier: Apache-2.0
// The serial remote over a socket, a pseudoterminal and pipes of this machine.
#include "thimble/toolchain/serve_remote.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "runtime/storage/serial_remote.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

thimble_serial_link link_of(int* line) {
  return {line,
          [](void* context, const void* bytes, uint32_t size) {
            const auto* at = static_cast<const char*>(bytes);
            while (size > 0) {
              const ssize_t count = write(*static_cast<int*>(context), at, size);
              if (count < 0 && errno != EAGAIN) return -1;
              if (count <= 0) continue;
              at += count;
              size -= static_cast<uint32_t>(count);
            }
            return 0;
          },
          [](void* context, void* bytes, uint32_t size) {
            const ssize_t count = read(*static_cast<int*>(context), bytes, size);
            return static_cast<int32_t>(count < 0 && errno == EAGAIN ? 0 : count);
          },
          [](void*) {
            return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                             std::chrono::steady_clock::now().time_since_epoch())
                                             .count());
          }};
}

/// 100 KB there and back.
void store_and_fetch(int line) {
  thimble_serial_remote remote;
  thimble_serial_operation operation;
  fcntl(line, F_SETFL, fcntl(line, F_GETFL) | O_NONBLOCK);
  const thimble_serial_link link = link_of(&line);
  const thimble_storage storage = thimble_serial_remote_open(&remote, &link, &operation, 1);
  std::vector<uint8_t> bytes(102'400), fetched(bytes.size());
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const auto size = static_cast<uint32_t>(bytes.size());
  EXPECT_EQ(storage.write_async(storage.context, 0, 0, bytes.data(), size), 0);
  EXPECT_EQ(storage.wait(storage.context, 0), 0);
  EXPECT_EQ(storage.read_async(storage.context, 0, 0, fetched.data(), size), 0);
  EXPECT_EQ(storage.wait(storage.context, 0), 0);
  EXPECT_EQ(fetched, bytes);
}

TEST(ServeRemote, StoresOverASocket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  RemoteStore store(200'000, 1);
  std::thread host([&] { serve_remote(store, ends[1], ends[1]); });
  store_and_fetch(ends[0]);
  close(ends[0]);
  host.join();
  close(ends[1]);
  EXPECT_EQ(store.counts().written_bytes, 102'400);
}

TEST(ServeRemote, StoresOverATerminal) {
  const int device = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(device, 0);
  ASSERT_EQ(grantpt(device) | unlockpt(device), 0);
  RemoteStore store(200'000, 1);
  const SerialDevice line(ptsname(device), 115200);
  std::thread host([&] { serve_remote(store, line.input(), line.output()); });
  store_and_fetch(device);
  close(device);
  host.join();
}

TEST(ServeRemote, SaysWhatIsNoLine) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& name, int baud = 115200) {
    try {
      const SerialDevice line(name, baud);
    } catch (const CompileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("/dev/no_such_port"),
              HasSubstr("/dev/no_such_port: cannot be opened: No such file or directory; a line is "
                        "a serial port"));
  EXPECT_THAT(message(folder.path().string()), HasSubstr("is no line"));
  EXPECT_THAT(message("tcp:localhost"), HasSubstr("has no HOST:PORT"));
  EXPECT_THAT(message("tcp:127.0.0.1:1"), HasSubstr("does not answer"));
  EXPECT_THAT(message("listen:70000"), HasSubstr("has no port"));
  const int device = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(grantpt(device) | unlockpt(device), 0);
  EXPECT_THAT(message(ptsname(device), 12345), HasSubstr("--baud: 12345 is none of"));
  close(device);
}

}  // namespace
}  // namespace thimble
