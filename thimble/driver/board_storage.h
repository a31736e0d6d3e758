// SPDX-License-Identifier: Apache-2.0
// What a firmware for an emulated board has of storage: the drivers of runtime/storage, and their
// state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"
#include "thimble/toolchain/board.h"

namespace thimble {

/// Storage of one model, emitted as `name`.
struct StoringModel {
  std::string name;
  const Program* program = nullptr;
};

struct BoardStorage {
  /// Text for the file that calls the models: what it includes; for each of a model's storages a
  /// function `thimble_storage MODEL_STORAGE_open()`.
  std::string includes, functions;
  /// Drivers and what they include, in the folders "storage" and "include"; and "states.cc", what
  /// they keep in RAM.
  std::vector<EmittedFile> files;
  /// That data take: what no user's firmware has; flash; a card.
  int64_t ram_bytes = 0, flash_bytes = 0, card_bytes = 0;
};

/// Nothing, if none of the models stores anything. Throws CompileError where there are several
/// storages and the board has one, or blocks and granules are not those of its flash.
[[nodiscard]] BoardStorage board_storage(std::span<const StoringModel> models,
                                         StorageDriver driver);

/// "ram", "flash", "serial", "card": of a command line.
[[nodiscard]] StorageDriver storage_driver_named(const std::string& word);
[[nodiscard]] std::vector<std::string> storage_driver_words();

}  // namespace thimble
