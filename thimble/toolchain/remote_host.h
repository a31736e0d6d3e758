// SPDX-License-Identifier: Apache-2.0
// A host of the serial remote in a thread of its own: what `thimble remote` is to one board.
#pragma once

#include <filesystem>
#include <thread>

#include "thimble/toolchain/remote_store.h"

namespace thimble {

class RemoteHost {
 public:
  /// Listens at the path for one connection, such as QEMU's (-serial unix:PATH), and serves it.
  /// Throws CompileError if it cannot, as where the path is too long for a socket's.
  RemoteHost(const std::filesystem::path& path, uint32_t capacity_bytes);
  ~RemoteHost() { end(); }
  RemoteHost(const RemoteHost&) = delete;
  RemoteHost& operator=(const RemoteHost&) = delete;

  /// Ends the connection, or the wait for one.
  void end();
  /// When it has ended.
  [[nodiscard]] const RemoteCounts& counts() const { return store_.counts(); }

 private:
  RemoteStore store_;
  int listening_ = -1;
  std::thread thread_;
};

}  // namespace thimble
