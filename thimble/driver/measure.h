// SPDX-License-Identifier: Apache-2.0
// A compiled model cross-compiled and run on an emulated board.
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"
#include "thimble/toolchain/qemu.h"

namespace thimble {

/// One of the models in a firmware to be measured.
struct FirmwareModel {
  std::string name;  ///< the identifier it was emitted under
  std::vector<EmittedFile> files;
  const Program* program = nullptr;
};

/// Sizes alone, for any core that the compiler knows.
[[nodiscard]] FirmwareSize measure_sizes(const std::vector<FirmwareModel>& models,
                                         const std::string& core);

/// Builds one firmware from the models and runs it on each of `sets`. storage: where models store
/// what they spill; with kSerialRemote a host serves the board meanwhile, in this process. Throws
/// as run_on_qemu, and where the core's boards lack the storage or it is another one than planned.
[[nodiscard]] Measured measure(const std::vector<FirmwareModel>& models, const std::string& core,
                               const std::vector<InputSet>& sets, EmulationOptions options = {},
                               StorageDriver storage = StorageDriver::kRamDisk);

}  // namespace thimble
