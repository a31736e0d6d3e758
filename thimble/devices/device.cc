// SPDX-License-Identifier: Apache-2.0
#include "thimble/devices/device.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/devices/embedded_file.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

// Largest sum of banks whose addresses follow one another.
int64_t largest_run_bytes(std::vector<Bank> banks) {
  std::sort(banks.begin(), banks.end(),
            [](const Bank& a, const Bank& b) { return a.base < b.base; });
  int64_t largest = 0, run = 0, end = -1;
  for (const Bank& bank : banks) {
    run = bank.base == end ? run + bank.size_bytes : bank.size_bytes;
    end = bank.base + bank.size_bytes;
    largest = std::max(largest, run);
  }
  return largest;
}

bool on_chip(const Tier& tier) {
  return tier.kind == TierKind::kTightlyCoupled || tier.kind == TierKind::kSram;
}

}  // namespace

const char* name(TierKind kind) {
  switch (kind) {
    case TierKind::kTightlyCoupled:
      return "tightly_coupled";
    case TierKind::kSram:
      return "sram";
    case TierKind::kExternalRam:
      return "external_ram";
    case TierKind::kMappedFlash:
      return "mapped_flash";
    case TierKind::kBlockStorage:
      return "block_storage";
  }
  throw InternalError("unknown TierKind");
}

int64_t Tier::size_bytes() const {
  int64_t sum = 0;
  for (const Bank& bank : banks) sum += bank.size_bytes;
  return sum;
}

int64_t Tier::largest_run_bytes() const { return thimble::largest_run_bytes(banks); }

int64_t Device::sram_bytes() const {
  int64_t sum = 0;
  for (const Tier& tier : tiers) {
    if (on_chip(tier)) sum += tier.size_bytes();
  }
  return sum;
}

int64_t Device::largest_sram_run_bytes() const {
  std::vector<Bank> banks;
  for (const Tier& tier : tiers) {
    if (on_chip(tier)) banks.insert(banks.end(), tier.banks.begin(), tier.banks.end());
  }
  return largest_run_bytes(std::move(banks));
}

std::vector<Device> builtin_devices() {
  std::vector<Device> devices;
  for (const EmbeddedFile& file : device_files()) {
    devices.push_back(parse_device(std::string(file.text), std::string(file.path)));
  }
  std::sort(devices.begin(), devices.end(),
            [](const Device& a, const Device& b) { return a.name < b.name; });
  return devices;
}

Device find_device(const std::string& name) {
  if (name.ends_with(".json")) return read_device(name);
  std::vector<std::string> names;
  for (Device& device : builtin_devices()) {
    if (device.name == name) return std::move(device);
    names.push_back(std::move(device.name));
  }
  throw CompileError(
      fmt::format("device '{}'", name),
      fmt::format("is not known; there are {}, or give a description of your own as FILE.json",
                  fmt::join(names, ", ")));
}

}  // namespace thimble
