// SPDX-License-Identifier: Apache-2.0
// The chips and boards that are known: devices/*.json, a chip in each, with the boards that have
// it.
//
//   {"chip": "RP2040", "vendor": "Raspberry Pi", "core": "cortex-m0plus", "clock_hz": 133000000,
//    "memories": [...], "sources": ["RP2040 datasheet, 2.2 Address map"],
//    "boards": [{"name": "raspberry-pi-pico", "aliases": ["pico"], "flash": "2M",
//                "sources": ["Raspberry Pi Pico datasheet, 1 About the Pico"]}]}
//
// A board has what its chip has, and what it says itself: flash (instead of the chip's), memories
// (behind the chip's), a vendor.
#pragma once

#include <string>
#include <vector>

#include "thimble/target/target.h"

namespace thimble {

struct Device {
  Target target;  ///< named as the board; a chip alone: as the chip: "apollo3-blue"
  std::string vendor;
  std::vector<std::string> aliases;
  std::vector<std::string> sources;  ///< of the figures: documents, and where in them
  bool board = true;                 ///< or a chip alone
  bool emulated = false;             ///< an emulator's image, which nobody has on a desk
  bool operator==(const Device&) const = default;
};

/// The chip alone, unless it is an emulator's, and its boards. `where` names the text in messages.
/// Throws CompileError.
[[nodiscard]] std::vector<Device> parse_devices(const std::string& json, const std::string& where);

/// By name.
[[nodiscard]] const std::vector<Device>& builtin_devices();
/// Of its chip: "STMicroelectronics", also of a board of Arduino's.
[[nodiscard]] std::string chip_vendor(const Device& device);
/// The one with this name or alias, whatever the case and the hyphens; null: none is called so.
[[nodiscard]] const Device* device_called(const std::string& name);
/// The one that is called so, whatever the case and the hyphens, by name or alias; or the chip,
/// else the device, whose name begins so, if all of these have the same figures; or, of ST, the
/// chip whose part number it is ("STM32F446RET6"). Throws CompileError: with all that it could be,
/// or with the nearest names.
[[nodiscard]] const Device& find_device(const std::string& name);
/// Devices with every one of the words in a name, an alias, the chip, the vendor or the core.
[[nodiscard]] std::vector<Device> matching_devices(const std::vector<std::string>& words);

/// Targets of all devices that are no emulator's, by name.
[[nodiscard]] std::vector<Target> builtin_targets();
/// A description if `name` ends in ".json", else the device that is meant. Throws CompileError.
[[nodiscard]] Target find_target(const std::string& name);

}  // namespace thimble
