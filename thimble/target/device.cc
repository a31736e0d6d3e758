// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"
#include "thimble/target/nearest_names.h"

namespace thimble {
namespace {

constexpr size_t kMostCandidates = 12, kNearest = 5;

std::vector<std::string> names_of(const Device& device) {
  std::vector<std::string> names = device.aliases;
  names.insert(names.begin(), device.target.name);
  return names;
}

bool any_name(const Device& device, const std::function<bool(const std::string&)>& is_so) {
  return std::ranges::any_of(names_of(device),
                             [&](const std::string& name) { return is_so(plain_name(name)); });
}

// A letter for the package and a digit for the temperature follow a chip's name: "t6".
bool is_part_number_of(const std::string& typed, const std::string& chip) {
  if (!chip.starts_with("stm32") || !typed.starts_with(chip)) return false;
  const std::string rest = typed.substr(chip.size());
  return rest.size() >= 2 && rest[0] >= 'a' && rest[0] <= 'z' && rest[1] >= '0' && rest[1] <= '9';
}

std::vector<const Device*> devices_where(const std::function<bool(const Device&)>& is_so) {
  std::vector<const Device*> found;
  for (const Device& device : builtin_devices()) {
    if (is_so(device)) found.push_back(&device);
  }
  return found;
}

// In all that a plan depends on: STM32F446RE and ZE differ in their pins.
bool all_alike(const std::vector<const Device*>& devices) {
  return std::ranges::all_of(devices, [&](const Device* device) {
    Target other = device->target;
    other.name = devices.front()->target.name;
    other.chip = devices.front()->target.chip;
    return other == devices.front()->target;
  });
}

[[noreturn]] void reject(const std::string& name, const std::string& message) {
  throw CompileError(fmt::format("device '{}'", name.substr(0, 100)), message);
}

[[noreturn]] void reject_ambiguous(const std::string& name,
                                   const std::vector<const Device*>& candidates) {
  std::vector<std::string> names;
  for (size_t k = 0; k < std::min(kMostCandidates, candidates.size()); ++k)
    names.push_back(candidates[k]->target.name);
  if (candidates.size() > kMostCandidates) names.emplace_back("...");
  reject(name, fmt::format("could be {}; which one? (`thimble devices {}`)", fmt::join(names, ", "),
                           name));
}

[[noreturn]] void reject_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Device& device : builtin_devices())
    std::ranges::move(names_of(device), std::back_inserter(names));
  reject(name, fmt::format("is not known; the nearest are {} (`thimble devices WORD` searches); or "
                           "give a description of your own as FILE.json",
                           fmt::join(nearest_names(name, names, kNearest), ", ")));
}

}  // namespace

const std::vector<Device>& builtin_devices() {
  static const std::vector<Device> devices = [] {
    std::vector<Device> all;
    for (const EmbeddedFile& file : device_files()) {
      std::vector<Device> of_chip = parse_devices(std::string(file.text), std::string(file.path));
      std::ranges::move(of_chip, std::back_inserter(all));
    }
    std::ranges::sort(all, {}, [](const Device& device) { return device.target.name; });
    return all;
  }();
  return devices;
}

const Device* device_called(const std::string& name) {
  const std::string typed = plain_name(name);
  const auto called = devices_where([&](const Device& device) {
    return any_name(device, [&](const std::string& known) { return known == typed; });
  });
  return called.size() == 1 ? called.front() : nullptr;
}

std::string chip_vendor(const Device& device) {
  if (!device.board) return device.vendor;
  for (const Device& other : builtin_devices()) {
    if (!other.board && other.target.chip == device.target.chip) return other.vendor;
  }
  return device.vendor;
}

const Device& find_device(const std::string& name) {
  if (const Device* const called = device_called(name)) return *called;
  const std::string typed = plain_name(name);
  const auto begin_so = devices_where([&](const Device& device) {
    return !typed.empty() &&
           any_name(device, [&](const std::string& known) { return known.starts_with(typed); });
  });
  std::vector<const Device*> chips = begin_so;
  std::erase_if(chips, [](const Device* device) { return device->board; });
  for (const auto& candidates : {chips, begin_so}) {
    if (!candidates.empty() && all_alike(candidates)) return *candidates.front();
  }
  if (!begin_so.empty()) reject_ambiguous(name, begin_so);
  const auto part_of = devices_where([&](const Device& device) {
    return !device.board && is_part_number_of(typed, plain_name(device.target.name));
  });
  if (part_of.size() == 1) return *part_of.front();
  reject_unknown(name);
}

std::vector<Device> matching_devices(const std::vector<std::string>& words) {
  std::vector<Device> found;
  for (const Device& device : builtin_devices()) {
    const auto occurs = [&](const std::string& word) {
      const auto has = [&](const std::string& where) {
        return plain_name(where).find(plain_name(word)) != std::string::npos;
      };
      return has(device.vendor) || has(device.target.chip) || has(device.target.core.name) ||
             std::ranges::any_of(names_of(device), has);
    };
    if (std::ranges::all_of(words, occurs)) found.push_back(device);
  }
  return found;
}

std::vector<Target> builtin_targets() {
  std::vector<Target> targets;
  for (const Device& device : builtin_devices()) {
    if (!device.emulated) targets.push_back(device.target);
  }
  return targets;
}

Target find_target(const std::string& name) {
  return name.ends_with(".json") ? read_target(name) : find_device(name).target;
}

}  // namespace thimble
