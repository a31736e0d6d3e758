// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "thimble/emit/names.h"
#include "thimble/import/file_bytes.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

std::string sizes(const std::string& name, const std::vector<ProgramPort>& ports) {
  std::string values;
  for (const ProgramPort& port : ports) values += fmt::format("{}, ", port.size_bytes);
  return fmt::format("const size_t {}[] = {{{}0}};\n", name, values);
}

std::string places(const std::string& name, const Program& program,
                   const std::vector<ProgramPort>& ports) {
  std::string values;
  for (const ProgramPort& port : ports) {
    values += port.place == Place::kResident ? fmt::format("{}, ", program.address(port.buffer))
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

// `NAME_on_board`, what the harness calls: it hands over what lies outside of the arena.
std::string adapter(const FirmwareModel& model) {
  std::string functions, arguments, callbacks;
  size_t outside = 0;
  for (const auto* ports : {&model.program->inputs, &model.program->outputs}) {
    for (const ProgramPort& port : *ports) {
      if (port.place == Place::kResident) continue;
      if (port.place == Place::kStreamed) {
        functions += row_function(model, port, outside);
        callbacks += fmt::format(", {}_{}", model.name,
                                 ports == &model.program->inputs ? "receive_row" : "deliver_row");
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
                         "  {0}_run(arena{2}{3});\n}}\n",
                         model.name, outside > 0 ? " outside" : "", arguments, callbacks);
}

// The table that the harness goes through.
std::string table_text(const std::vector<FirmwareModel>& models) {
  std::string text = "#include \"harness.h\"\n";
  for (const FirmwareModel& model : models) text += fmt::format("#include \"{}.h\"\n", model.name);
  text += "namespace {\n";
  std::string rows;
  for (const FirmwareModel& model : models) {
    const Program& p = *model.program;
    text += sizes(model.name + "_in_bytes", p.inputs);
    text += places(model.name + "_in_at", p, p.inputs);
    text += sizes(model.name + "_out_bytes", p.outputs);
    text += places(model.name + "_out_at", p, p.outputs);
    text += adapter(model);
    rows += fmt::format(
        "  {{\"{0}\", {0}_arena_bytes, {0}_arena_alignment, {1}, {0}_in_bytes, {0}_in_at, {2}, "
        "{0}_out_bytes, {0}_out_at, {0}_on_board}},\n",
        model.name, p.inputs.size(), p.outputs.size());
  }
  return text +
         fmt::format(
             "}}  // namespace\nextern \"C\" const thimble_model thimble_models[] = {{\n{}}};\n"
             "extern \"C\" const size_t thimble_model_count = {};\n",
             rows, models.size());
}

// Inputs as the harness holds them: rows that are streamed are row-major.
std::vector<InputSet> in_memory(const std::vector<FirmwareModel>& models,
                                std::vector<InputSet> sets) {
  for (InputSet& set : sets) {
    for (size_t m = 0; m < models.size(); ++m) {
      const Program& program = *models[m].program;
      for (size_t k = 0; k < program.inputs.size(); ++k)
        set[m][k] = to_memory(program, program.inputs[k], set[m][k]);
    }
  }
  return sets;
}

// Of the arena and of what lies outside of it, with the guards of the smallest board.
int64_t ram_bytes(const Program& program) {
  constexpr int64_t kGuardsBytes = 2 * 64 + 32;
  int64_t sum = program.arena_bytes + kGuardsBytes;
  for (const auto* ports : {&program.inputs, &program.outputs}) {
    for (const ProgramPort& port : *ports) {
      if (port.place != Place::kResident) sum += port.size_bytes + kGuardsBytes;
    }
  }
  return sum;
}

// Writes the sources below `folder`.
CrossBuild cross_build(const std::vector<FirmwareModel>& models, const std::string& core,
                       const std::filesystem::path& folder) {
  CrossBuild build{.sources = {},
                   .weight_sources = {},
                   .table_sources = {},
                   .include_folders = {},
                   .core = core};
  std::set<std::string> shared;  // runtime files that several models bring along
  std::vector<EmittedFile> all;
  for (const FirmwareModel& model : models) {
    build.ram_bytes = std::max(build.ram_bytes, ram_bytes(*model.program));
    for (const EmittedFile& file : model.files) {
      if (!shared.insert(file.path).second) continue;
      all.push_back(file);
      if (!file.path.ends_with(".cc")) continue;
      const bool weights = file.path == model.name + "_weights.cc";
      (weights ? build.weight_sources : build.sources).push_back(folder / "emitted" / file.path);
    }
  }
  all.push_back({"table.cc", table_text(models)});
  for (const EmittedFile& file : all) {
    const std::filesystem::path path = folder / "emitted" / file.path;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, std::array<std::string_view, 1>{file.text});
  }
  build.table_sources = {folder / "emitted" / "table.cc"};
  build.include_folders = {folder / "emitted"};
  return build;
}

}  // namespace

FirmwareSize measure_sizes(const std::vector<FirmwareModel>& models, const std::string& core) {
  const TemporaryFolder folder;
  return measure_sizes(cross_build(models, core, folder.path()));
}

Measured measure(const std::vector<FirmwareModel>& models, const std::string& core,
                 const std::vector<InputSet>& sets) {
  const TemporaryFolder folder;
  Measured measured =
      run_on_qemu(cross_build(models, core, folder.path()), in_memory(models, sets));
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
