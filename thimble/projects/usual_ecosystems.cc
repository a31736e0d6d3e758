// SPDX-License-Identifier: Apache-2.0
#include "thimble/projects/usual_ecosystems.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace thimble {
namespace {

// Vendors of chips or boards. Nordic's SDK is Zephyr, that of the Pico is CMake; MSDK and
// AmbiqSuite are built by make. Others deliver the support of their chips as CMSIS packs.
constexpr std::array<std::pair<std::string_view, const char*>, 13> kOwn = {
    {{"STMicroelectronics", "stm32cube"},
     {"Nordic Semiconductor", "zephyr"},
     {"Espressif", "esp-idf"},
     {"Raspberry Pi", "cmake"},
     {"PJRC", "platformio"},
     {"Analog Devices", "makefile"},
     {"Ambiq", "makefile"},
     {"Arm, for QEMU", "cmsis-pack"},
     {"Microchip", "cmsis-pack"},
     {"NXP", "cmsis-pack"},
     {"Renesas", "cmsis-pack"},
     {"Silicon Labs", "cmsis-pack"},
     {"Texas Instruments", "cmsis-pack"}}};

constexpr std::array<std::string_view, 6> kWithArduino = {
    "Arduino", "Adafruit", "Espressif", "Raspberry Pi", "Seeed Studio", "SparkFun"};
// The core of the Due has GCC 4.8, which compiles no C++17; for the nRF54L15 there is none.
constexpr std::array<std::string_view, 2> kWithoutArduino = {"ATSAM3X8E", "nRF54L15"};

template <typename List>
bool is_among(std::string_view what, const List& list) {
  return std::ranges::find(list, what) != list.end();
}

}  // namespace

std::vector<std::string> usual_ecosystems(const Device& device) {
  const std::string of_chip = chip_vendor(device);
  std::vector<std::string> names;
  for (const auto& [vendor, ecosystem] : kOwn) {
    if (vendor == of_chip || vendor == device.vendor) names.emplace_back(ecosystem);
  }
  if (is_among(device.vendor, kWithArduino) && !is_among(device.target.chip, kWithoutArduino))
    names.emplace_back("arduino");
  return names;
}

}  // namespace thimble
