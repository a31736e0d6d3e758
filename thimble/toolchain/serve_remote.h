// SPDX-License-Identifier: Apache-2.0
// The serial remote on a real line: a serial port, a socket, standard input and output.
#pragma once

#include <string>

#include "thimble/toolchain/remote_store.h"

namespace thimble {

/// A line that is open in both directions.
class SerialDevice {
 public:
  /// name: "-" (standard input and output), "tcp:HOST:PORT" (connects), "listen:PORT" (waits for
  /// one connection to this machine), or the path of a serial port, a pseudoterminal or a socket. A
  /// terminal is set to `baud` and passes all bytes untouched. Throws CompileError.
  SerialDevice(const std::string& name, int baud);
  ~SerialDevice();
  SerialDevice(const SerialDevice&) = delete;
  SerialDevice& operator=(const SerialDevice&) = delete;

  [[nodiscard]] int input() const { return input_; }
  [[nodiscard]] int output() const { return output_; }

 private:
  int input_ = -1, output_ = -1;
  bool owned_ = false;
};

/// Serves until the other end is closed. Answers that nobody takes are dropped when there are more
/// than a mebibyte of them: the device asks again.
void serve_remote(RemoteStore& store, int input, int output);

}  // namespace thimble
