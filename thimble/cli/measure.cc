// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/measure.h"

#include <fmt/format.h>

#include <set>

#include "thimble/cli/emitted_folder.h"
#include "thimble/devices/temporary_folder.h"

namespace thimble {
namespace {

std::string list(const std::string& name, const std::vector<ProgramPort>& ports,
                 int64_t ProgramPort::*field) {
  std::string values;
  for (const ProgramPort& port : ports) values += fmt::format("{}, ", port.*field);
  return fmt::format("const size_t {}[] = {{{}0}};\n", name, values);
}

// The table that the harness goes through.
std::string table_text(const std::vector<FirmwareModel>& models) {
  std::string text = "#include \"harness.h\"\n";
  for (const FirmwareModel& model : models) text += fmt::format("#include \"{}.h\"\n", model.name);
  text += "namespace {\n";
  std::string rows;
  for (const FirmwareModel& model : models) {
    const Program& p = *model.program;
    text += list(model.name + "_in_bytes", p.inputs, &ProgramPort::size_bytes);
    text += list(model.name + "_in_at", p.inputs, &ProgramPort::address);
    text += list(model.name + "_out_bytes", p.outputs, &ProgramPort::size_bytes);
    text += list(model.name + "_out_at", p.outputs, &ProgramPort::address);
    rows += fmt::format(
        "  {{\"{0}\", {0}_arena_bytes, {0}_arena_alignment, {1}, {0}_in_bytes, {0}_in_at, {2}, "
        "{0}_out_bytes, {0}_out_at, {0}_run}},\n",
        model.name, p.inputs.size(), p.outputs.size());
  }
  return text +
         fmt::format(
             "}}  // namespace\nextern \"C\" const thimble_model thimble_models[] = {{\n{}}};\n"
             "extern \"C\" const size_t thimble_model_count = {};\n",
             rows, models.size());
}

}  // namespace

Measured measure(const std::vector<FirmwareModel>& models, const std::string& core,
                 const std::vector<InputSet>& sets) {
  const TemporaryFolder folder;
  CrossBuild build{.sources = {},
                   .weight_sources = {},
                   .table_sources = {},
                   .include_folders = {},
                   .core = core};
  std::set<std::string> shared;  // runtime files that several models bring along
  std::vector<EmittedFile> all;
  for (const FirmwareModel& model : models) {
    for (const EmittedFile& file : model.files) {
      if (file.path == "example.c" || file.path == "CMakeLists.txt" ||
          !shared.insert(file.path).second)
        continue;
      all.push_back(file);
      if (!file.path.ends_with(".cc")) continue;
      const bool weights = file.path == model.name + "_weights.cc";
      (weights ? build.weight_sources : build.sources)
          .push_back(folder.path() / "emitted" / file.path);
    }
  }
  all.push_back({"table.cc", table_text(models)});
  write_folder(folder.path() / "emitted", all);
  build.table_sources = {folder.path() / "emitted" / "table.cc"};
  build.include_folders = {folder.path() / "emitted",
                           folder.path() / "emitted" / "thimble_runtime" / "include",
                           folder.path() / "emitted" / "thimble_runtime"};
  return run_on_qemu(build, sets);
}

}  // namespace thimble
