// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/cross_build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>

#include "thimble/model/error.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/firmware_files.h"
#include "thimble/toolchain/link_map.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompiler = "arm-none-eabi-g++";
constexpr double kCompileSeconds = 600;

// -pipe: no temporary files of the compiler's.
constexpr std::array kCommonFlags = {"-pipe",
                                     "-mthumb",
                                     "-O2",
                                     "-std=c++17",
                                     "-Wall",
                                     "-Wextra",
                                     "-Werror",
                                     "-ffreestanding",
                                     "-fno-exceptions",
                                     "-fno-rtti",
                                     "-ffunction-sections",
                                     "-fdata-sections"};

constexpr std::array kBoards = {
    Board{"cortex-m4",
          "mps2-an386",
          {"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"},
          int64_t{3} << 20},
};

// What an object counts as; its file is named after it.
enum class Role : uint8_t { kModel, kWeights, kTable, kFirmware };

constexpr std::array kRoleNames = {"model_", "weights_", "table_", "firmware_"};

struct Unit {
  fs::path source;
  Role role;
  std::string object;  // file name
};

std::string object_name(Role role, size_t number, bool in_psram) {
  return fmt::format("{}{:04}{}.o", kRoleNames[static_cast<size_t>(role)], number,
                     in_psram ? ".psram" : "");
}

std::vector<fs::path> write_firmware(const Board& board, const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const EmbeddedFile& file : firmware_files()) {
    const fs::path path = folder / file.path;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << file.text;
    const bool ours = path.parent_path() == folder || path.parent_path() == folder / board.machine;
    if (ours && path.extension() == ".cc") sources.push_back(path);
  }
  return sources;
}

std::vector<Unit> list_units(const CrossBuild& build, const std::vector<fs::path>& firmware) {
  std::vector<Unit> units;
  const auto add = [&](const std::vector<fs::path>& sources, Role role) {
    for (const fs::path& source : sources) {
      units.push_back({fs::absolute(source), role, object_name(role, units.size(), false)});
    }
  };
  // Weights first: they take the longest.
  add(build.weight_sources, Role::kWeights);
  add(build.sources, Role::kModel);
  add(build.table_sources, Role::kTable);
  add(firmware, Role::kFirmware);
  return units;
}

std::vector<std::string> compile_arguments(const CrossBuild& build, const Board& board,
                                           const Unit& unit, const fs::path& firmware_folder) {
  std::vector<std::string> arguments = {kCompiler};
  arguments.insert(arguments.end(), board.flags.begin(), board.flags.end());
  arguments.insert(arguments.end(), kCommonFlags.begin(), kCommonFlags.end());
  for (const fs::path& folder : build.include_folders) {
    arguments.push_back("-I" + fs::absolute(folder).string());
  }
  if (unit.role == Role::kTable || unit.role == Role::kFirmware) {
    arguments.push_back("-I" + firmware_folder.string());
    arguments.push_back("-I" + (firmware_folder / board.machine).string());
  }
  // The harness must not call memcpy and memset, which would then be counted as the models'.
  if (unit.role == Role::kFirmware) arguments.push_back("-fno-tree-loop-distribute-patterns");
  for (const char* argument : {"-c", "-o"}) arguments.push_back(argument);
  arguments.push_back(unit.object);
  arguments.push_back(unit.source.string());
  return arguments;
}

std::string shortened(const std::string& text) {
  constexpr size_t kEnough = 4000;
  return text.size() <= kEnough ? text : text.substr(0, kEnough) + "\n...";
}

void compile(const Command& command, const fs::path& source) {
  const ProcessResult result = run_process(command);
  if (result.timed_out) {
    throw CompileError(source.string(), fmt::format("took {} longer than {:.0f} s to compile",
                                                    kCompiler, command.timeout_seconds));
  }
  if (!result.succeeded()) {
    throw InternalError(fmt::format("{} does not compile for the emulated core:\n{}",
                                    source.string(), shortened(result.err)));
  }
}

// All units, as many at a time as there are cores; the first failure is thrown when all have ended.
void compile_all(const std::vector<Command>& commands, const std::vector<Unit>& units) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t i = next++; i < commands.size(); i = next++) {
      try {
        compile(commands[i], units[i].source);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = commands.size();
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (size_t i = 0; i < std::min(cores, commands.size()); ++i) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

// Weights that code memory has no room for get the name that the linker script puts into PSRAM.
void move_large_weights(const Board& board, const fs::path& folder, std::vector<Unit>& units) {
  int64_t total = 0;
  for (const Unit& unit : units) {
    if (unit.role == Role::kWeights) {
      total += static_cast<int64_t>(fs::file_size(folder / unit.object));
    }
  }
  if (total <= board.weights_in_code_memory_bytes) return;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].role != Role::kWeights) continue;
    const std::string name = object_name(Role::kWeights, i, true);
    fs::rename(folder / units[i].object, folder / name);
    units[i].object = name;
  }
}

void link(const Board& board, const fs::path& folder, const fs::path& script,
          const std::vector<Unit>& units) {
  std::vector<std::string> arguments = {kCompiler, "-mthumb"};
  arguments.insert(arguments.end(), board.flags.begin(), board.flags.end());
  for (const Unit& unit : units) arguments.push_back(unit.object);
  for (const char* argument :
       {"-nostdlib", "-Wl,--gc-sections", "-Wl,--fatal-warnings", "-Wl,--no-warn-rwx-segments",
        "-Wl,-Map=firmware.map", "-Wl,--start-group", "-lm", "-lc", "-lgcc", "-Wl,--end-group"}) {
    arguments.push_back(argument);
  }
  arguments.insert(arguments.end(), {"-T", script.string(), "-o", "firmware.elf"});
  const ProcessResult result = run_process(
      {.arguments = arguments, .working_folder = folder, .timeout_seconds = kCompileSeconds});
  if (result.succeeded()) return;
  if (result.err.find("will not fit in region") != std::string::npos) {
    throw CompileError(board.machine, fmt::format("the emulated board's memory is too small:\n{}",
                                                  shortened(result.err)));
  }
  throw InternalError(fmt::format("the firmware does not link:\n{}", shortened(result.err)));
}

bool is_static_ram(std::string_view section) {
  return section.starts_with(".data") || section.starts_with(".bss") || section == "COMMON";
}

FirmwareSize add_up(const std::vector<LinkedSection>& sections) {
  FirmwareSize size;
  for (const LinkedSection& section : sections) {
    const auto is = [&](Role role) {
      return section.object.starts_with(kRoleNames[static_cast<size_t>(role)]);
    };
    // Firmware and table call nothing in libraries, so that what comes from there is the models'.
    if (is(Role::kTable) || is(Role::kFirmware)) continue;
    if (is_static_ram(section.section)) size.static_ram_bytes += section.size_bytes;
    if (section.section.starts_with(".bss") || section.section == "COMMON") continue;
    const bool weights = is(Role::kWeights) && section.section.starts_with(".rodata");
    (weights ? size.weight_bytes : size.code_bytes) += section.size_bytes;
  }
  return size;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  check(file.good() || file.eof(), "the linker's map cannot be read");
  return text.str();
}

}  // namespace

Board board_for(const std::string& core) {
  std::vector<std::string> cores;
  for (const Board& board : kBoards) {
    if (core == board.core) return board;
    cores.emplace_back(board.core);
  }
  throw CompileError(fmt::format("core '{}'", core),
                     fmt::format("cannot be emulated; there is {}", fmt::join(cores, ", ")));
}

FirmwareSize build_firmware(const CrossBuild& build, const fs::path& folder) {
  const Board board = board_for(build.core);
  require_program(kCompiler, "gcc-arm-none-eabi");
  const fs::path firmware_folder = folder / "firmware";
  std::vector<Unit> units = list_units(build, write_firmware(board, firmware_folder));
  std::vector<Command> commands;
  for (const Unit& unit : units) {
    commands.push_back({.arguments = compile_arguments(build, board, unit, firmware_folder),
                        .working_folder = folder,
                        .timeout_seconds = kCompileSeconds});
  }
  compile_all(commands, units);
  move_large_weights(board, folder, units);
  link(board, folder, firmware_folder / board.machine / "link.ld", units);
  return add_up(parse_link_map(read_text(folder / "firmware.map")));
}

FirmwareSize measure_firmware(const CrossBuild& build) {
  const TemporaryFolder folder;
  return build_firmware(build, folder.path());
}

}  // namespace thimble
