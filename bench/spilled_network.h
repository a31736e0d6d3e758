// SPDX-License-Identifier: Apache-2.0
// The emitted code of a network that spills, compiled by the host's compiler and loaded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/include/thimble_runtime/storage.h"
#include "thimble/driver/compiled.h"
#include "thimble/target/kernels/runtime_sources.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {

class SpilledNetwork {
 public:
  /// model and storage: as of `thimble compile`; planner: one that spills. Throws CompileError:
  /// there is no such model, nothing is spilled, the host has no compiler.
  /// runtime: what is copied beside the emitted code.
  SpilledNetwork(const std::string& model, const std::string& storage,
                 const std::string& planner = "tinyseg",
                 std::span<const RuntimeFile> runtime = runtime_files());
  ~SpilledNetwork();
  SpilledNetwork(const SpilledNetwork&) = delete;
  SpilledNetwork& operator=(const SpilledNetwork&) = delete;

  [[nodiscard]] const Compiled& compiled() const { return compiled_; }
  /// The storage that it spills to.
  [[nodiscard]] const ProgramMemory& storage() const;
  [[nodiscard]] uint32_t tokens() const {
    return static_cast<uint32_t>(compiled_.program.token_count);
  }
  /// A seeded input, and what the reference makes of it.
  [[nodiscard]] Bytes input(uint64_t seed) const;
  [[nodiscard]] Bytes expected(uint64_t seed) const;

  /// The arena, aligned; written over before an inference, so that nothing of the last one is left.
  void set_input(const Bytes& input);
  /// Calls the emitted function.
  int run(const thimble_storage* driver) { return run_(arena_, driver); }
  [[nodiscard]] Bytes output() const;
  /// Whether nothing was written around the arena.
  [[nodiscard]] bool guards_intact() const;

 private:
  Compiled compiled_;
  TemporaryFolder folder_;
  void* library_ = nullptr;
  int (*run_)(void* arena, const thimble_storage* storage) = nullptr;
  std::vector<uint8_t> memory_;
  uint8_t* arena_ = nullptr;
};

}  // namespace thimble
