// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/board_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "thimble/emit/names.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/firmware_files.h"

namespace thimble {
namespace {

constexpr std::array kWords = {
    std::pair{"ram", StorageDriver::kRamDisk}, std::pair{"flash", StorageDriver::kOwnFlash},
    std::pair{"serial", StorageDriver::kSerialRemote}, std::pair{"card", StorageDriver::kSdCard}};

constexpr const char* kBoardOption = "--board-storage";
constexpr int64_t kCardBlock = 512;
// The flash of an nRF51 (runtime/storage/nrf51_nvmc.h); its flash ends at 256 KiB.
constexpr int64_t kWordBytes = 4, kPageBytes = 1024, kFlashEnd = 256 << 10;

/// A storage of a model, by the prefix of its names in code: "unet_qspi".
struct OneStorage {
  std::string model, prefix;
  const ProgramMemory* memory;
  std::string image;  ///< the file with what it begins with; empty: it begins with nothing
};

std::vector<OneStorage> storages_of(std::span<const StoringModel> models) {
  std::vector<OneStorage> all;
  for (const StoringModel& model : models) {
    for (const MemoryId id : storages(*model.program)) {
      const ProgramMemory& memory = model.program->memory(id);
      const bool has_image = !image_of(*model.program, id).empty();
      all.push_back({model.name, model.name + "_" + memory.name, &memory,
                     has_image ? image_file(model.name, memory.name) : ""});
    }
  }
  return all;
}

// Beside the arena, in memory that the start-up code leaves alone: strict about what is erased.
std::string ram_disk(const OneStorage& storage) {
  const std::string image = storage.image.empty()
                                ? ""
                                : fmt::format("  thimble_firmware::load_file(\"{}\", {}_disk);\n",
                                              storage.image, storage.prefix);
  return fmt::format(
      "[[gnu::section(\".bss.thimble_memories\")]] unsigned char {0}_disk[{0}_bytes];\n"
      "thimble_ram_disk {0}_state;\n"
      "thimble_storage {0}_open() {{\n{2}"
      "  {0}_state = {{{0}_disk, {0}_bytes, {0}_granule, {0}_block,\n"
      "      {1}, 0}};\n"
      "  return thimble_ram_disk_open(&{0}_state);\n}}\n",
      storage.prefix,
      storage.memory->storage->erase_bytes == 0 ? "THIMBLE_RAM_DISK_PLAIN"
                                                : "THIMBLE_RAM_DISK_NOR_CHECKED",
      image);
}

std::string flash(const OneStorage& storage, int64_t size_bytes) {
  const BlockStorage& shape = *storage.memory->storage;
  if (shape.write_bytes % kWordBytes != 0 || shape.erase_bytes == 0 ||
      shape.erase_bytes % kPageBytes != 0)
    throw CompileError(kBoardOption,
                       fmt::format("the board's flash is written in words of {} B and erased in "
                                   "pages of {} B: --storage {}:write=4,erase=1K",
                                   kWordBytes, kPageBytes, storage.memory->name));
  return fmt::format(
      "extern thimble_nrf51_nvmc {0}_state;\n"
      "thimble_storage {0}_open() {{\n"
      "  return thimble_nrf51_nvmc_open(&{0}_state, {1}, {2});\n}}\n",
      storage.prefix, kFlashEnd - size_bytes, size_bytes);
}

std::string serial_remote(const OneStorage& storage) {
  return fmt::format(
      "extern thimble_serial_remote {0}_state;\n"
      "extern thimble_serial_operation {0}_operations[{1}_tokens];\n"
      "thimble_storage {0}_open() {{\n"
      "  return thimble_firmware::open_uart_remote({0}_state, {0}_operations, {1}_tokens);\n}}\n",
      storage.prefix, storage.model);
}

std::string card(const OneStorage& storage) {
  if (storage.memory->storage->write_bytes % kCardBlock != 0)
    throw CompileError(kBoardOption, fmt::format("a card is written in blocks of {} B: "
                                                 "--storage {}:write={}",
                                                 kCardBlock, storage.memory->name, kCardBlock));
  return fmt::format(
      "extern thimble_sd_card {0}_state;\n"
      "thimble_storage {0}_open() {{\n"
      "  return thimble_firmware::open_card({0}_state, {0}_bytes);\n}}\n",
      storage.prefix);
}

std::vector<EmittedFile> driver_files(const std::vector<std::string>& sources) {
  std::vector<EmittedFile> files;
  for (const EmbeddedFile& file : storage_driver_files()) {
    const std::string path(file.path);
    if (path.ends_with(".h") || std::ranges::find(sources, path) != sources.end())
      files.push_back({path, std::string(file.text)});
  }
  return files;
}

}  // namespace

BoardStorage board_storage(std::span<const StoringModel> models, StorageDriver driver) {
  const std::vector<OneStorage> all = storages_of(models);
  BoardStorage result;
  if (all.empty()) return result;
  if (driver != StorageDriver::kRamDisk && all.size() > 1)
    throw CompileError(kBoardOption, "this storage of the board holds one storage of one model");
  const bool begins_empty =
      driver == StorageDriver::kOwnFlash || driver == StorageDriver::kSerialRemote;
  if (begins_empty && !all[0].image.empty())
    throw CompileError(
        kBoardOption,
        "this storage of the board holds nothing before an inference, and no weights: "
        "ram and card do");
  switch (driver) {
    case StorageDriver::kRamDisk:
      result.includes = "#include \"ram_disk.h\"\n#include \"semihosting.h\"\n";
      result.files = driver_files({"storage/ram_disk.cc"});
      for (const OneStorage& storage : all) {
        result.functions += ram_disk(storage);
        result.ram_bytes += storage.memory->size_bytes;
      }
      break;
    case StorageDriver::kOwnFlash:
      result.includes = "#include \"nrf51_nvmc.h\"\n";
      result.files = driver_files({"storage/nrf51_nvmc.cc"});
      result.flash_bytes = (all[0].memory->size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
      result.functions = flash(all[0], result.flash_bytes);
      result.files.push_back(
          {"states.cc", fmt::format("#include \"nrf51_nvmc.h\"\nthimble_nrf51_nvmc {}_state;\n",
                                    all[0].prefix)});
      break;
    case StorageDriver::kSerialRemote:
      result.includes = "#include \"cmsdk_link.h\"\n";
      result.files = driver_files({"storage/serial_frame.cc", "storage/serial_remote.cc"});
      result.functions = serial_remote(all[0]);
      result.files.push_back(
          {"states.cc", fmt::format("#include \"serial_remote.h\"\n#include \"{1}.h\"\n"
                                    "thimble_serial_remote {0}_state;\n"
                                    "thimble_serial_operation {0}_operations[{1}_tokens];\n",
                                    all[0].prefix, all[0].model)});
      break;
    case StorageDriver::kSdCard:
      result.includes = "#include \"stellaris_card.h\"\n";
      result.files = driver_files({"storage/sd_card.cc"});
      result.card_bytes = all[0].memory->size_bytes;
      result.functions = card(all[0]);
      result.files.push_back({"states.cc", fmt::format("#include \"sd_card.h\"\n"
                                                       "thimble_sd_card {}_state;\n",
                                                       all[0].prefix)});
      break;
  }
  return result;
}

StorageDriver storage_driver_named(const std::string& word) {
  for (const auto& [known, driver] : kWords)
    if (word == known) return driver;
  throw CompileError(kBoardOption, "is ram, flash, serial or card");
}

std::vector<std::string> storage_driver_words() {
  std::vector<std::string> words;
  for (const auto& [word, driver] : kWords) words.emplace_back(word);
  return words;
}

}  // namespace thimble
