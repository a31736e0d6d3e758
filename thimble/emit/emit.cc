// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "thimble/emit/banner.h"
#include "thimble/emit/c_api.h"
#include "thimble/emit/c_helpers.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/checks.h"
#include "thimble/emit/entry_points.h"
#include "thimble/emit/folder_readme.h"
#include "thimble/emit/licence.h"
#include "thimble/emit/micro_interpreter.h"
#include "thimble/emit/names.h"
#include "thimble/emit/params.h"
#include "thimble/emit/reset.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/emit/stages.h"
#include "thimble/emit/uses.h"
#include "thimble/emit/view_constants.h"
#include "thimble/emit/weights.h"
#include "thimble/emit/working_program.h"
#include "thimble/program/storage_image.h"

namespace thimble {

namespace {

// The sources of the kernels in use, the headers that models include, and what these include.
std::vector<EmittedFile> runtime_of(const Program& program, const EmitOptions& options,
                                    const std::set<std::string>& used) {
  std::set<KernelId> kernels;
  written_calls(program.nodes, [&](const Call& call) {
    if (!receives(program, call) && !delivers(program, call)) kernels.insert(call.kernel);
  });
  std::set<std::string> paths{"include/thimble_runtime/hooks.h", "include/thimble_runtime/index.h",
                              "include/thimble_runtime/kernels.h",
                              "include/thimble_runtime/uses.h"};
  if (options.trace) paths.insert("include/thimble_runtime/trace.h");
  for (KernelId kernel : kernels) paths.insert(info(kernel).source());
  if (!storages(program).empty())
    paths.insert({"include/thimble_runtime/storage.h", "include/thimble_runtime/transfers.h",
                  "storage/transfers.cc"});
  if (compresses(program)) paths.insert({"storage/compress.cc", "storage/compressed_transfers.cc"});
  return runtime_copies(options.runtime, used, paths);
}

// A kernel's scratch size is one constexpr function of its parameters: what a call is handed must
// be that much.
std::string scratch_asserts(const Program& program) {
  std::set<std::tuple<BufferId, int, KernelId>> all;
  written_calls(program.nodes, [&](const Call& call) {
    if (call.scratch.valid()) all.emplace(call.scratch, call.params, call.kernel);
  });
  const AddressNames address_name(program);
  std::string text;
  std::set<std::pair<BufferId, int64_t>> passages;
  written_transfers(program.nodes, [&](const TransferCall& transfer) {
    if (transfer.passage.valid()) passages.emplace(transfer.passage, transfer.chunk_bytes);
  });
  for (const auto& [buffer, chunk_bytes] : passages)
    text += fmt::format("static_assert(passage_bytes({}) <= {}, \"{}\");\n", chunk_bytes,
                        program.buffer(buffer).size_bytes, address_name(buffer));
  for (const auto& [buffer, number, kernel] : all) {
    const ProgramParams& params = program.params[static_cast<size_t>(number)];
    const std::string wanted =
        info(kernel).scratch_within != nullptr
            ? fmt::format("{}.scratch_bytes", params_name(params))  // what it has
            : fmt::format("{}_scratch_bytes({})", info(kernel).name, params_name(params));
    text += fmt::format("static_assert({} <= {}, \"{}\");\n", wanted,
                        program.buffers[buffer.index()].size_bytes, address_name(buffer));
  }
  return text;
}

// Whether a stage hands parameters to a kernel.
bool is_passed(const std::string& params, const std::vector<Stage>& all) {
  return std::ranges::any_of(all, [&](const Stage& stage) {
    return stage.text.find("(" + params + ",") != std::string::npos;
  });
}

// Another program's copy of the runtime may have been put over this one's.
std::string uses_assert(const Program& program) {
  const Program* const programs[] = {&program};
  std::string all;
  for (const std::string& part : used_parts(programs))
    all +=
        fmt::format("{}THIMBLE_USES_{} != 0", all.empty() ? "" : " &&\n                  ", part);
  if (all.empty()) return "";
  return fmt::format(
      "static_assert({},\n              \"this copy of the runtime lacks what the model uses: "
      "compile all models into one folder\");\n\n",
      all);
}

// What tells each storage's image from others.
std::string image_labels(const Program& program, const EmitOptions& options) {
  std::string text;
  for (const MemoryId id : storages(program)) {
    const std::string& storage = program.memory(id).name;
    const std::optional<StorageImage> image = storage_image(program, id);
    if (!image) continue;
    std::vector<std::string> words;
    for (const uint32_t word : image->label().words) words.push_back(fmt::format("{:#010x}", word));
    text += fmt::format(
        "// The label of what {0} begins with, {1}, and where that lies.\n"
        "constexpr ImageLabel {2}{{{3:#010x},\n    {{{4}}}}};\n"
        "constexpr uint32_t {2}Label = {5};\n\n",
        storage, image_file(options.name, storage), image_name(storage), image->label().number,
        fmt::join(words, ", "), image->label_address());
  }
  return text;
}

std::string code_text(const Graph& graph, const Program& program, const EmitOptions& options) {
  const std::string& name = options.name;
  const std::string data = name + "_data";
  std::string text = banner(graph, program, options, name + ".cc");
  text += fmt::format(
      "#include \"{0}.h\"\n\n#include \"{0}_weights.h\"\n#include \"{1}/hooks.h\"\n"
      "#include \"{1}/index.h\"\n#include \"{1}/kernels.h\"\n{4}{3}#include \"{1}/uses.h\"\n\n"
      "{5}{2}namespace {{\n\nusing namespace thimble::runtime;\n\n",
      name, runtime_folder(options.runtime), uses_assert(program),
      storages(program).empty()
          ? ""
          : fmt::format("#include \"{}/{}transfers.h\"\n", runtime_folder(options.runtime),
                        compresses(program) ? "compressed_" : ""),
      options.trace ? fmt::format("#include \"{}/trace.h\"\n", runtime_folder(options.runtime))
                    : "",
      check_definition());
  if (!storages(program).empty())
    text += fmt::format("constexpr int32_t kTokens = {};  // of transfers in flight\n\n",
                        program.token_count);
  text += image_labels(program, options);
  ViewConstants constants(graph, program);
  const std::vector<Stage> all = stages(graph, program, data, constants, options.trace);
  std::string stage_texts, traces;
  for (const Stage& stage : all) {
    stage_texts += stage.text + "\n";
    traces += stage.trace + stage.row_place + "\n";
  }
  text += arena_map(graph, program, constants, identifiers_in(stage_texts + traces)) + "\n";
  for (const ProgramParams& params : program.params) {
    // Rows of the table have its values.
    if (!is_passed(params_name(params), all)) text += "[[maybe_unused]] ";
    text += params_text(program, params, data) + "\n";
  }
  const std::string asserts = scratch_asserts(program);
  if (!asserts.empty()) text += asserts + "\n";
  const CallerSide side = caller_side(program, name);
  const Observed observed{graph, program, options, side, all};
  text += hook_variables(observed) + caller_struct(side);
  text += stage_texts + entry_helpers(observed);
  return text + "}  // namespace\n\n" + entry_points(observed) +
         reset_definition(program, side, name);
}

}  // namespace

std::vector<EmittedFile> emit(const Graph& graph, const Program& verified,
                              const EmitOptions& options) {
  const Program program = working_program(verified);
  const Program* const programs[] = {&program};
  std::set<std::string> used = used_parts(programs);
  used.insert(options.also_used.begin(), options.also_used.end());
  std::vector<EmittedFile> files;
  files.push_back({options.name + ".h", c_header(graph, program, options)});
  files.push_back({options.name + ".cc", code_text(graph, program, options)});
  files.push_back(weights_header(program, options));
  for (EmittedFile& file : weights_files(program, options)) files.push_back(std::move(file));
  for (const MemoryId storage : storages(program)) {
    const std::optional<StorageImage> image = storage_image(program, storage);
    if (!image) continue;
    EmittedFile file{image_file(options.name, program.memory(storage).name), {}};
    file.text.reserve(static_cast<size_t>(image->size_bytes()));
    image->write([&](std::span<const uint8_t> bytes) {
      file.text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    files.push_back(std::move(file));
  }
  if (!options.labels.empty()) files.push_back(labels_file(options));
  files.push_back({options.name + "_example.c", c_example(graph, program, options)});
  if (options.micro_interpreter) {
    for (EmittedFile& file : micro_interpreter_files(graph, program, options))
      files.push_back(std::move(file));
  }
  files.push_back({kReadme, model_section(graph, program, options)});
  for (EmittedFile& file : runtime_of(program, options, used)) files.push_back(std::move(file));
  return files;
}

}  // namespace thimble
