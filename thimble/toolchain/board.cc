// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/board.h"

#include <algorithm>

#include "thimble/target/core.h"

namespace thimble {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Room for code is left beside the weights. The micro:bit has no external RAM: all weights stay in
// flash, and firmware that does not fit is linked for the next board.
std::vector<Board> boards() {
  return {
      {"microbit", {"cortex-m0", "cortex-m0plus"}, kMiB, {}, StorageDriver::kOwnFlash},
      {"mps2-an385",
       {"cortex-m3", "cortex-m0", "cortex-m0plus"},
       3 * kMiB,
       {},
       StorageDriver::kSerialRemote},
      {"lm3s6965evb",
       {"cortex-m3", "cortex-m0", "cortex-m0plus"},
       kMiB,
       {},
       StorageDriver::kSdCard,
       /*by_request=*/true},
      {"mps2-an386", {"cortex-m4"}, 3 * kMiB, {}, StorageDriver::kSerialRemote},
      {"mps2-an500", {"cortex-m7"}, 3 * kMiB, {}, StorageDriver::kSerialRemote},
      {"mps2-an505", {"cortex-m33"}, 3 * kMiB},
      {"mps3-an547", {"cortex-m55", "cortex-m85"}, kMiB / 4},
      {"virt",
       {"rv32imc", "rv32imac"},
       3 * kMiB,
       {"qemu-system-riscv32", "qemu-system-misc", {"-cpu", "rv32", "-bios", "none"}}},
  };
}

}  // namespace

std::vector<Board> boards_of(const std::string& core) {
  std::vector<Board> result = boards();
  const std::string whole = core.substr(0, core.find('+'));  // which runs the code of "+nofp", too
  std::erase_if(result, [&](const Board& board) {
    return std::ranges::find(board.cores, whole) == board.cores.end();
  });
  return result;
}

std::vector<Board> boards_of(const std::string& core, StorageDriver storage) {
  std::vector<Board> result = boards_of(core);
  std::erase_if(result, [&](const Board& board) {
    return storage == StorageDriver::kRamDisk ? board.by_request : board.storage != storage;
  });
  return result;
}

std::vector<std::string> emulated_cores(StorageDriver storage) {
  std::vector<std::string> cores;
  for (const Core& core : known_cores()) {
    if (!boards_of(core.name, storage).empty()) cores.push_back(core.name);
  }
  return cores;
}

std::vector<std::string> emulated_cores() { return emulated_cores(StorageDriver::kRamDisk); }

}  // namespace thimble
