// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "thimble/driver/board_storage.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"
#include "thimble/import/file_bytes.h"
#include "thimble/toolchain/remote_host.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

constexpr uint32_t kMostOnHost = 1U << 30;  // it takes pages for what is written only

// A board with a card is small: rows of a streamed input come from a file of the host's, where
// others have all of it in memory.
bool comes_from_file(const Program& program, const ProgramPort& port, StorageDriver driver) {
  return driver == StorageDriver::kSdCard && program.memory_of(port.buffer) == kStream &&
         &port == &program.inputs[0];
}

std::string rows_file(const FirmwareModel& model) { return model.name + "_rows.bin"; }

std::string sizes(const std::string& name, const Program& program,
                  const std::vector<ProgramPort>& ports, StorageDriver driver) {
  std::string values;
  for (const ProgramPort& port : ports)
    values += fmt::format("{}, ", comes_from_file(program, port, driver) ? 0 : port.size_bytes);
  return fmt::format("const size_t {}[] = {{{}0}};\n", name, values);
}

std::string places(const std::string& name, const Program& program,
                   const std::vector<ProgramPort>& ports) {
  std::string values;
  for (const ProgramPort& port : ports) {
    values += program.memory_of(port.buffer) == kArena
                  ? fmt::format("{}, ", program.address(port.buffer))
                  : std::string("THIMBLE_OUTSIDE, ");
  }
  return fmt::format("const size_t {}[] = {{{}0}};\n", name, values);
}

const char* type_of(const Program& program, const ProgramPort& port) {
  return c_type(program.buffers[port.buffer.index()].type);
}

// Copies a row between the memory outside of the arena and where it is wanted.
std::string row_function(const FirmwareModel& model, const ProgramPort& port, size_t outside) {
  const bool in = &port == &model.program->inputs[0];
  const char* direction = in ? "input" : "output";
  return fmt::format(
      "void {0}_{1}(void* outside, int32_t row, {2}{3}* values) {{\n"
      "  {3}* at = static_cast<{3}*>(static_cast<void* const*>(outside)[{4}]);\n"
      "  at += row * {0}_{5}_row_elements;\n"
      "  for (int k = 0; k < {0}_{5}_row_elements; ++k) {6};\n}}\n",
      model.name, in ? "receive_row" : "deliver_row", in ? "" : "const ",
      type_of(*model.program, port), outside, direction,
      in ? "values[k] = at[k]" : "at[k] = values[k]");
}

// All sets' rows, one behind the other.
std::string row_from_file(const FirmwareModel& model, const ProgramPort& port) {
  return fmt::format(
      "void {0}_receive_row(void*, int32_t, {1}* values) {{\n"
      "  static int32_t file = -1;\n"
      "  if (file < 0) file = thimble_firmware::open_file(\"{2}\", "
      "thimble_firmware::OpenMode::kRead);\n"
      "  if (!thimble_firmware::read_file(file, values, {0}_input_row_elements * sizeof *values))\n"
      "    __builtin_trap();\n}}\n",
      model.name, type_of(*model.program, port), rows_file(model));
}

// "arena", or "&memories" of a variable that `before` defines.
std::string arena_argument(const FirmwareModel& model, std::string& before) {
  const CallerSide side = caller_side(*model.program, model.name);
  if (side.memories_type.empty()) return "arena";
  std::string pointers = "arena";
  for (const std::string& arena : side.arenas) {
    if (arena != side.arenas[0]) pointers += fmt::format(", {}_{}", model.name, arena);
  }
  before += fmt::format("  const {} memories{{{}}};\n", side.memories_type, pointers);
  return side.arena_argument();
}

// `NAME_on_board`, what the harness calls: it hands over what lies outside of the arena. Memories
// beside it are static, and ports there are copied.
std::string adapter(const FirmwareModel& model, StorageDriver driver) {
  const Program& program = *model.program;
  std::string functions, arguments, callbacks, before, after;
  for (const MemoryId id : storages(program)) {
    const std::string& storage = program.memory(id).name;
    before += fmt::format("  const thimble_storage {0} = {1}_{0}_open();\n", storage, model.name);
    arguments += ", &" + storage;
  }
  const bool fails = !storages(program).empty();
  const std::string arena_text = arena_argument(model, before);
  for (const MemoryId id : arenas(program)) {
    if (id == kArena) continue;
    const std::string arena = model.name + "_" + arena_name(program, id);
    functions += fmt::format(
        "[[gnu::section(\".bss.thimble_memories\")]] alignas({0}_alignment) unsigned char "
        "{0}[{0}_bytes];\n",
        arena);
  }
  size_t outside = 0;
  for (const auto* ports : {&program.inputs, &program.outputs}) {
    for (size_t k = 0; k < ports->size(); ++k) {
      const ProgramPort& port = (*ports)[k];
      const bool in = ports == &program.inputs;
      const MemoryId memory = program.memory_of(port.buffer);
      if (memory == kArena) continue;
      if (memory == kStream) {
        functions += comes_from_file(program, port, driver) ? row_from_file(model, port)
                                                            : row_function(model, port, outside);
        callbacks += fmt::format(", {}_{}", model.name, in ? "receive_row" : "deliver_row");
      } else if (is_laid_out(memory)) {
        const std::string there =
            fmt::format("{}_{}({})", model.name,
                        port_label(in ? "input" : "output", k, ports->size()), arena_text);
        const std::string here = fmt::format("outside[{}]", outside);
        (in ? before : after) += fmt::format("  __builtin_memcpy({}, {}, {});\n", in ? there : here,
                                             in ? here : there, port.size_bytes);
      } else {
        arguments +=
            fmt::format(", static_cast<{}*>(outside[{}])", type_of(*model.program, port), outside);
      }
      ++outside;
    }
  }
  if (!callbacks.empty()) callbacks += ", const_cast<void**>(outside)";
  return functions + fmt::format(
                         "void {0}_on_board(void* arena, void* const*{1}) {{\n"
                         "{5}  {7}{0}_run({4}{2}{3}){8};\n{6}}}\n",
                         model.name, outside > 0 ? " outside" : "", arguments, callbacks,
                         arena_text, before, after, fails ? "if (" : "",
                         fails ? " != THIMBLE_STORAGE_OK) __builtin_trap()" : "");
}

// `NAME_reset_on_board`, where there is something to reset.
std::string reset_adapter(const FirmwareModel& model) {
  const Program& program = *model.program;
  if (program.states.empty()) return "";
  std::string before;
  const std::string arena = arena_argument(model, before);
  return fmt::format("void {0}_reset_on_board(void* arena) {{\n{1}  {0}_reset({2});\n}}\n",
                     model.name, before, arena);
}

// The table that the harness goes through.
std::string table_text(const std::vector<FirmwareModel>& models, const BoardStorage& storage,
                       StorageDriver driver) {
  std::string text = "#include \"harness.h\"\n#include \"semihosting.h\"\n" + storage.includes;
  for (const FirmwareModel& model : models) text += fmt::format("#include \"{}.h\"\n", model.name);
  text += storage.functions + "namespace {\n";
  std::string rows;
  for (const FirmwareModel& model : models) {
    const Program& p = *model.program;
    text += sizes(model.name + "_in_bytes", p, p.inputs, driver);
    text += places(model.name + "_in_at", p, p.inputs);
    text += sizes(model.name + "_out_bytes", p, p.outputs, driver);
    text += places(model.name + "_out_at", p, p.outputs);
    text += adapter(model, driver) + reset_adapter(model);
    rows += fmt::format(
        "  {{\"{0}\", {0}_arena_bytes, {0}_arena_alignment, {1}, {0}_in_bytes, {0}_in_at, {2}, "
        "{0}_out_bytes, {0}_out_at, {0}_on_board, {3}}},\n",
        model.name, p.inputs.size(), p.outputs.size(),
        p.states.empty() ? "nullptr" : model.name + "_reset_on_board");
  }
  return text +
         fmt::format(
             "}}  // namespace\nextern \"C\" const thimble_model thimble_models[] = {{\n{}}};\n"
             "extern \"C\" const size_t thimble_model_count = {};\n",
             rows, models.size());
}

// Inputs as the harness holds them: rows that are streamed are row-major.
std::vector<InputSet> in_memory(const std::vector<FirmwareModel>& models,
                                std::vector<InputSet> sets, StorageDriver driver,
                                EmulationOptions& options) {
  std::map<std::string, std::string> rows;
  for (InputSet& set : sets) {
    for (size_t m = 0; m < models.size(); ++m) {
      const Program& program = *models[m].program;
      for (size_t k = 0; k < program.inputs.size(); ++k)
        set[m][k] = to_memory(program, program.inputs[k], set[m][k]);
      if (program.inputs.empty() || !comes_from_file(program, program.inputs[0], driver)) continue;
      rows[rows_file(models[m])].append(set[m][0].begin(), set[m][0].end());
      set[m][0].clear();
    }
  }
  for (auto& [name, bytes] : rows) options.files.emplace_back(name, std::move(bytes));
  return sets;
}

// RAM of all memories and of what lies outside of them, with the guards of the smallest board.
int64_t ram_bytes(const Program& program, StorageDriver driver) {
  constexpr int64_t kGuardsBytes = 2 * 64 + 32;
  int64_t sum = 0;
  for (const MemoryId id : arenas(program)) sum += program.memory(id).size_bytes + kGuardsBytes;
  for (const auto* ports : {&program.inputs, &program.outputs}) {
    for (const ProgramPort& port : *ports) {
      if (program.memory_of(port.buffer) == kArena) continue;
      sum += kGuardsBytes + (comes_from_file(program, port, driver) ? 0 : port.size_bytes);
    }
  }
  return sum;
}

// Drivers that a user's firmware would have, too, count as it does.
void add_storage(const BoardStorage& storage, StorageDriver driver,
                 const std::filesystem::path& folder, CrossBuild& build,
                 std::vector<EmittedFile>& all) {
  if (storage.files.empty()) return;
  for (const char* include : {"drivers/storage", "drivers/include"})
    build.include_folders.push_back(folder / include);
  for (const EmittedFile& file : storage.files) {
    all.push_back({"drivers/" + file.path, file.text});
    if (!file.path.ends_with(".cc")) continue;
    const bool counts = driver != StorageDriver::kRamDisk;
    (counts ? build.sources : build.table_sources).push_back(folder / all.back().path);
  }
}

// Writes the sources below `folder`, each model's with its copy of the runtime in a folder of its
// own. What copies have in common is compiled once.
CrossBuild cross_build(const std::vector<FirmwareModel>& models, const std::string& core,
                       StorageDriver driver, const std::filesystem::path& folder) {
  std::vector<StoringModel> storing;
  for (const FirmwareModel& model : models) storing.push_back({model.name, model.program});
  const BoardStorage storage = board_storage(storing, driver);
  CrossBuild build{.sources = {},
                   .weight_sources = {},
                   .table_sources = {},
                   .include_folders = {},
                   .core = core,
                   .flash_bytes = storage.flash_bytes,
                   .card_bytes = storage.card_bytes};
  if (!storage.files.empty()) build.storage = driver;
  std::set<std::string> compiled;
  std::vector<EmittedFile> all;
  for (const FirmwareModel& model : models) {
    build.ram_bytes = std::max(build.ram_bytes, ram_bytes(*model.program, driver));
    build.include_folders.push_back(folder / "emitted" / model.name);
    for (const EmittedFile& file : model.files) {
      const std::string path = model.name + "/" + file.path;
      all.push_back({path, file.text});
      if (!file.path.ends_with(".cc") || !compiled.insert(file.text).second) continue;
      const bool weights = file.path == model.name + "_weights.cc";
      (weights ? build.weight_sources : build.sources).push_back(folder / "emitted" / path);
    }
  }
  build.ram_bytes += storage.ram_bytes;
  all.push_back({"table.cc", table_text(models, storage, driver)});
  add_storage(storage, driver, folder / "emitted", build, all);
  for (const EmittedFile& file : all) {
    const std::filesystem::path path = folder / "emitted" / file.path;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, std::array<std::string_view, 1>{file.text});
  }
  build.table_sources.push_back(folder / "emitted" / "table.cc");
  return build;
}

}  // namespace

FirmwareSize measure_sizes(const std::vector<FirmwareModel>& models, const std::string& core) {
  const TemporaryFolder folder;
  return measure_sizes(cross_build(models, core, StorageDriver::kRamDisk, folder.path())).size;
}

Measured measure(const std::vector<FirmwareModel>& models, const std::string& core,
                 const std::vector<InputSet>& sets, EmulationOptions options,
                 StorageDriver storage) {
  const TemporaryFolder folder;
  const CrossBuild build = cross_build(models, core, storage, folder.path());
  std::optional<RemoteHost> host;
  if (build.storage == StorageDriver::kSerialRemote) {
    const std::filesystem::path line = folder.path() / "line";
    host.emplace(line, kMostOnHost);
    options.serial = "unix:" + line.string();
  }
  options.card_bytes = std::max(options.card_bytes, build.card_bytes);
  for (const FirmwareModel& model : models) {
    for (const EmittedFile& file : model.files) {
      if (!file.path.ends_with(".img")) continue;
      if (build.storage == StorageDriver::kSdCard) {
        options.card_image = file.text;
      } else {
        options.files.emplace_back(file.path, file.text);
      }
    }
  }
  Measured measured = run_on_qemu(build, in_memory(models, sets, build.storage, options), options);
  if (host) {
    host->end();
    measured.remote = host->counts();
  }
  for (std::vector<EmulatedRun>& set : measured.sets) {
    for (size_t m = 0; m < models.size(); ++m) {
      const Program& program = *models[m].program;
      for (size_t k = 0; k < program.outputs.size(); ++k)
        set[m].outputs[k] = from_memory(program, program.outputs[k], set[m].outputs[k]);
    }
  }
  return measured;
}

}  // namespace thimble
