// SPDX-License-Identifier: Apache-2.0
// The boards that QEMU emulates, and the cores whose code they run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble {

struct Emulator {
  std::string program = "qemu-system-arm";
  std::string package = "qemu-system-arm";  ///< of Debian, that has it
  std::vector<std::string> options = {};    ///< beside the machine
};

/// What a board keeps spilled tensors in.
enum class StorageDriver : uint8_t {
  kRamDisk,       ///< memory that is not counted: stands in for any storage
  kOwnFlash,      ///< flash behind the code, by its controller (runtime/storage/nrf51_nvmc.h)
  kSerialRemote,  ///< a host at the end of its first UART (runtime/storage/serial_remote.h)
  kSdCard,        ///< a card on its SPI bus, a file of the host's (runtime/storage/sd_card.h)
};

/// An emulated board.
struct Board {
  std::string machine;             ///< QEMU's name, and the folder in firmware/
  std::vector<std::string> cores;  ///< whose code it runs: its own, and those with less
  /// Above that weights go to external RAM.
  int64_t weights_in_code_memory_bytes = 0;
  Emulator emulator = {};
  StorageDriver storage = StorageDriver::kRamDisk;  ///< that it has beside a RAM disk
  bool by_request = false;  ///< only for that storage: it has less memory than others
};

/// Boards that run the core's code, in order of preference: none if it cannot be emulated.
[[nodiscard]] std::vector<Board> boards_of(const std::string& core);

/// Those of them that have the storage.
[[nodiscard]] std::vector<Board> boards_of(const std::string& core, StorageDriver storage);

/// The cores with a board.
[[nodiscard]] std::vector<std::string> emulated_cores();
/// Those with one that has the storage.
[[nodiscard]] std::vector<std::string> emulated_cores(StorageDriver storage);

}  // namespace thimble
