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
#include "thimble/target/core.h"
#include "thimble/toolchain/firmware_files.h"
#include "thimble/toolchain/link_map.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/stack_usage.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

constexpr double kCompileSeconds = 600;

// -pipe: no temporary files of the compiler's.
constexpr std::array kCommonFlags = {"-pipe",           "-O2",
                                     "-std=c++17",      "-Wall",
                                     "-Wextra",         "-Werror",
                                     "-ffreestanding",  "-fno-exceptions",
                                     "-fno-rtti",       "-ffunction-sections",
                                     "-fdata-sections", "-ffp-contract=off"};

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

// What all boards share is compiled with machine.h of one of them.
std::vector<fs::path> write_firmware(const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const EmbeddedFile& file : firmware_files()) {
    const fs::path path = folder / file.path;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << file.text;
    if (path.extension() == ".cc") sources.push_back(path);
  }
  return sources;
}

void add_units(const std::vector<fs::path>& sources, Role role, std::vector<Unit>& units) {
  for (const fs::path& source : sources) {
    units.push_back({fs::absolute(source), role, object_name(role, units.size(), false)});
  }
}

std::vector<Unit> model_units(const CrossBuild& build) {
  std::vector<Unit> units;
  add_units(build.weight_sources, Role::kWeights, units);  // first: they take the longest
  add_units(build.sources, Role::kModel, units);
  add_units(build.table_sources, Role::kTable, units);
  return units;
}

std::vector<std::string> target_arguments(const std::string& core) {
  const Core known = core_named(core);
  std::vector<std::string> arguments = {known.compiler.program};
  arguments.insert(arguments.end(), known.flags.begin(), known.flags.end());
  return arguments;
}

// machine_folder: of the board.
std::vector<std::string> compile_arguments(const CrossBuild& build, const Unit& unit,
                                           const fs::path& machine_folder) {
  std::vector<std::string> arguments = shipping_command(build.core);
  for (const fs::path& folder : build.include_folders) {
    arguments.push_back("-I" + fs::absolute(folder).string());
  }
  if (unit.role == Role::kModel) arguments.emplace_back("-fcallgraph-info=su");
  if (unit.role == Role::kTable || unit.role == Role::kFirmware) {
    arguments.push_back("-I" + machine_folder.parent_path().string());
    arguments.push_back("-I" + machine_folder.string());
  }
  if (unit.role == Role::kFirmware) {
    // The harness must not call memcpy and memset, which would then be counted as the models'.
    arguments.emplace_back("-fno-tree-loop-distribute-patterns");
  }
  for (const char* argument : {"-c", "-o"}) arguments.emplace_back(argument);
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
    throw CompileError(source.string(),
                       fmt::format("took {} longer than {:.0f} s to compile",
                                   command.arguments.front(), command.timeout_seconds));
  }
  if (!result.succeeded()) {
    throw InternalError(fmt::format("{} does not compile for the core:\n{}", source.string(),
                                    shortened(result.err)));
  }
}

// All units, as many at a time as there are cores; the first failure is thrown when all have ended.
// Objects are written to the folder that the machine's folder is two below.
void compile_all(const CrossBuild& build, const std::vector<Unit>& units,
                 const fs::path& machine_folder) {
  std::vector<Command> commands;
  for (const Unit& unit : units) {
    commands.push_back({.arguments = compile_arguments(build, unit, machine_folder),
                        .working_folder = machine_folder.parent_path().parent_path(),
                        .timeout_seconds = kCompileSeconds});
  }
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

// Weights that code memory has no room for have the name that the linker script puts into external
// RAM.
void name_weights(int64_t limit_bytes, const fs::path& folder, std::vector<Unit>& units) {
  int64_t total = 0;
  for (const Unit& unit : units) {
    if (unit.role == Role::kWeights) {
      total += static_cast<int64_t>(fs::file_size(folder / unit.object));
    }
  }
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].role != Role::kWeights) continue;
    const std::string name = object_name(Role::kWeights, i, total > limit_bytes);
    fs::rename(folder / units[i].object, folder / name);
    units[i].object = name;
  }
}

// Empty, or the linker's message that the memory is too small.
std::string link(const CrossBuild& build, const fs::path& folder, const std::string& machine,
                 const std::vector<Unit>& units) {
  std::vector<std::string> arguments = target_arguments(build.core);
  for (const Unit& unit : units) arguments.push_back(unit.object);
  for (const char* argument :
       {"-nostdlib", "-Wl,--gc-sections", "-Wl,--fatal-warnings", "-Wl,--no-warn-rwx-segments",
        "-Wl,-Map=firmware.map", "-Lfirmware", "-o", "firmware.elf", "-Wl,--start-group"}) {
    arguments.emplace_back(argument);
  }
  const std::vector<std::string> libraries = core_named(build.core).compiler.libraries;
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  arguments.emplace_back("-Wl,--end-group");
  arguments.push_back(fmt::format("-Wl,--defsym=model_ram_bytes={}", build.ram_bytes));
  arguments.push_back(fmt::format("-Wl,--defsym=model_flash_bytes={}", build.flash_bytes));
  arguments.insert(arguments.end(), {"-T", "firmware/" + machine + "/link.ld"});
  const ProcessResult result = run_process(
      {.arguments = arguments, .working_folder = folder, .timeout_seconds = kCompileSeconds});
  if (result.succeeded()) return "";
  if (result.err.find("will not fit in region") == std::string::npos)
    throw InternalError(fmt::format("the firmware does not link:\n{}", shortened(result.err)));
  return shortened(result.err);
}

bool is_static_ram(std::string_view section) {
  return section.starts_with(".data") || section.starts_with(".bss") || section == "COMMON";
}

bool is_of(Role role, const LinkedSection& section) {
  return section.object.starts_with(kRoleNames[static_cast<size_t>(role)]);
}

FirmwareSize add_up(const std::vector<LinkedSection>& sections) {
  FirmwareSize size;
  for (const LinkedSection& section : sections) {
    if (is_static_ram(section.section)) size.static_ram_bytes += section.size_bytes;
    if (section.section.starts_with(".bss") || section.section == "COMMON") continue;
    const bool weights = is_of(Role::kWeights, section) && section.section.starts_with(".rodata");
    (weights ? size.weight_bytes : size.code_bytes) += section.size_bytes;
  }
  return size;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  check(file.is_open(), "what the compiler wrote cannot be read");
  return text.str();
}

std::string disassembly(const std::string& core, const fs::path& elf) {
  const ProcessResult result = run_process(
      {.arguments = {binary_tool(core, "objdump"), "-d", "--no-show-raw-insn", elf.string()},
       .working_folder = {}});
  if (!result.succeeded())
    throw InternalError("objdump does not read the firmware:\n" + shortened(result.err));
  return result.out;
}

// The stack of all functions that the models' callers see. `units`: compiled in `folder`; `linked`:
// what they are linked to, disassembled.
int64_t stack_bytes(const std::string& linked, const fs::path& folder,
                    const std::vector<Unit>& units) {
  StackUsage usage;
  for (const Unit& unit : units) {
    if (unit.role != Role::kModel) continue;
    usage.add_call_graph(read_text((folder / unit.object).replace_extension(".ci")));
  }
  usage.add_disassembly(linked);
  int64_t deepest = 0;
  for (const std::string& entry : usage.entries())
    deepest = std::max(deepest, usage.deepest_bytes(entry));
  return deepest;
}

// Firmware and table call nothing in libraries, so that what comes from there is the models'.
std::vector<LinkedSection> linked_for_models(const fs::path& folder) {
  std::vector<LinkedSection> sections = parse_link_map(read_text(folder / "firmware.map"));
  std::erase_if(sections, [](const LinkedSection& section) {
    return is_of(Role::kTable, section) || is_of(Role::kFirmware, section);
  });
  return sections;
}

// Asked of the compiler: there are more cores than Thimble knows.
void check_compiler(const std::string& core) {
  const CrossCompiler compiler = core_named(core).compiler;
  require_program(compiler.program, compiler.package);
  std::vector<std::string> arguments = target_arguments(core);
  arguments.insert(arguments.end(), {"-E", "-x", "c++", "/dev/null"});
  const ProcessResult result = run_process({.arguments = arguments, .working_folder = {}});
  if (result.succeeded()) return;
  throw CompileError(fmt::format("core '{}'", core),
                     fmt::format("{} does not take it: {}", compiler.program,
                                 result.err.substr(0, result.err.find('\n'))));
}

}  // namespace

std::vector<std::string> shipping_command(const std::string& core) {
  std::vector<std::string> arguments = target_arguments(core);
  arguments.insert(arguments.end(), kCommonFlags.begin(), kCommonFlags.end());
  return arguments;
}

std::string binary_tool(const std::string& core, const std::string& tool) {
  const std::string compiler = core_named(core).compiler.program;
  return compiler.substr(0, compiler.rfind('-') + 1) + tool;  // "arm-none-eabi-"
}

Firmware build_firmware(const CrossBuild& build, const fs::path& folder) {
  const std::vector<Board> boards = boards_of(build.core, build.storage);
  if (boards.empty() && !boards_of(build.core).empty()) {
    throw CompileError(fmt::format("core '{}'", build.core),
                       fmt::format("has no emulated board with this storage; there are {}",
                                   fmt::join(emulated_cores(build.storage), ", ")));
  }
  if (boards.empty()) {
    throw CompileError(
        fmt::format("core '{}'", build.core),
        fmt::format("cannot be emulated; there are {}", fmt::join(emulated_cores(), ", ")));
  }
  check_compiler(build.core);
  const fs::path firmware = fs::absolute(folder) / "firmware";
  const std::vector<fs::path> firmware_sources = write_firmware(firmware);
  std::vector<Unit> models = model_units(build);
  compile_all(build, models, firmware / boards[0].machine);
  std::string refusal;
  for (const Board& board : boards) {
    name_weights(board.weights_in_code_memory_bytes, folder, models);
    std::vector<Unit> units;
    add_units(firmware_sources, Role::kFirmware, units);
    compile_all(build, units, firmware / board.machine);
    units.insert(units.end(), models.begin(), models.end());
    refusal = link(build, folder, board.machine, units);
    if (!refusal.empty()) continue;
    std::vector<LinkedSection> sections = linked_for_models(folder);
    FirmwareSize size = add_up(sections);
    size.stack_bytes =
        stack_bytes(disassembly(build.core, folder / "firmware.elf"), folder, models);
    return {board, size, std::move(sections)};
  }
  throw CompileError(boards.back().machine,
                     fmt::format("the emulated board's memory is too small:\n{}", refusal));
}

LinkedSizes measure_sizes(const CrossBuild& build) {
  check_compiler(build.core);
  const TemporaryFolder folder;
  const fs::path sizes = folder.path() / "firmware" / "sizes";
  (void)write_firmware(sizes.parent_path());
  std::vector<Unit> units = model_units(build);
  const std::vector<std::string> libraries = core_named(build.core).compiler.libraries;
  if (std::ranges::find(libraries, "-lc") == libraries.end())
    add_units({sizes.parent_path() / "memory_functions.cc"}, Role::kFirmware, units);
  compile_all(build, units, sizes);
  const std::string refusal = link(build, folder.path(), "sizes", units);
  if (!refusal.empty()) throw CompileError("the models", "are too large:\n" + refusal);
  LinkedSizes result{.size = {},
                     .sections = linked_for_models(folder.path()),
                     .disassembly = disassembly(build.core, folder.path() / "firmware.elf")};
  result.size = add_up(result.sections);
  result.size.stack_bytes = stack_bytes(result.disassembly, folder.path(), units);
  return result;
}

}  // namespace thimble
