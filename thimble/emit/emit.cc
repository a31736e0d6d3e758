// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/emit.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "thimble/emit/banner.h"
#include "thimble/emit/c_api.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/entry_points.h"
#include "thimble/emit/names.h"
#include "thimble/emit/params.h"
#include "thimble/emit/stages.h"
#include "thimble/kernels/runtime_sources.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

// Without calls that do nothing (reshape in place).
std::vector<ProgramNode> working_nodes(const Program& program,
                                       const std::vector<ProgramNode>& nodes) {
  std::vector<ProgramNode> result;
  for (const ProgramNode& node : nodes) {
    if (const auto* call = std::get_if<Call>(&node.what)) {
      if (!copies_onto_itself(program, *call)) result.push_back(node);
      continue;
    }
    const ProgramLoop& loop = std::get<ProgramLoop>(node.what);
    std::vector<ProgramNode> body = working_nodes(program, loop.body);
    if (!body.empty()) result.push_back({ProgramLoop{loop.id, loop.count, std::move(body)}});
  }
  return result;
}

void collect_kernels(const std::vector<ProgramNode>& nodes, std::set<KernelId>& kernels) {
  for (const ProgramNode& node : nodes) {
    if (const auto* call = std::get_if<Call>(&node.what)) {
      if (!receives(*call) && !delivers(*call)) kernels.insert(call->kernel);
    } else {
      collect_kernels(std::get<ProgramLoop>(node.what).body, kernels);
    }
  }
}

// The file of the runtime that `include` names, seen from `from`: beside it or in include/.
const RuntimeFile* included(const std::string& from, const std::string& include) {
  const std::string beside = from.substr(0, from.rfind('/') + 1) + include;
  for (const RuntimeFile& file : runtime_files()) {
    if (file.path == beside || file.path == "include/" + include || file.path == include)
      return &file;
  }
  return nullptr;  // of the compiler
}

void add_with_includes(const RuntimeFile& file, std::map<std::string, const RuntimeFile*>& needed) {
  if (!needed.emplace(file.path, &file).second) return;
  constexpr std::string_view kInclude = "#include \"";
  for (size_t at = file.text.find(kInclude); at != std::string_view::npos;
       at = file.text.find(kInclude, at + 1)) {
    const size_t begin = at + kInclude.size();
    const std::string name(file.text.substr(begin, file.text.find('"', begin) - begin));
    if (const RuntimeFile* next = included(std::string(file.path), name))
      add_with_includes(*next, needed);
  }
}

// The sources of the kernels in use, the header of index arithmetic, and what these include.
std::vector<EmittedFile> runtime_copies(const Program& program) {
  std::set<KernelId> kernels;
  collect_kernels(program.nodes, kernels);
  std::set<std::string> roots{"include/thimble_runtime/index.h",
                              "include/thimble_runtime/kernels.h"};
  for (KernelId kernel : kernels) roots.insert(info(kernel).source);
  std::map<std::string, const RuntimeFile*> needed;
  for (const RuntimeFile& file : runtime_files()) {
    if (roots.erase(std::string(file.path)) > 0) add_with_includes(file, needed);
  }
  check(roots.empty(), "a kernel's source is not among the runtime's files");
  std::vector<EmittedFile> result;
  for (const auto& [path, file] : needed)
    result.push_back({"thimble_runtime/" + path, std::string(file->text)});
  return result;
}

void collect_scratch(const std::vector<ProgramNode>& nodes,
                     std::set<std::pair<BufferId, int>>& scratch) {
  for (const ProgramNode& node : nodes) {
    const auto* call = std::get_if<Call>(&node.what);
    if (call == nullptr) {
      collect_scratch(std::get<ProgramLoop>(node.what).body, scratch);
    } else if (call->scratch.valid()) {
      scratch.emplace(call->scratch, call->params);
    }
  }
}

// A kernel's scratch size is one constexpr function of its parameters: what a call is handed must
// be that much.
std::string scratch_asserts(const Program& program) {
  std::set<std::pair<BufferId, int>> all;
  collect_scratch(program.nodes, all);
  std::string text;
  for (const auto& [buffer, number] : all) {
    const ProgramParams& params = program.params[static_cast<size_t>(number)];
    check(std::holds_alternative<runtime::DepthwiseConv2DParams>(params.params),
          "a kernel with scratch whose size is not asserted");
    text += fmt::format(
        "static_assert(depthwise_conv_2d_in_place_scratch_bytes({0}.window.in_h, {0}.window.in_w) "
        "<= {1}, \"{2}\");\n",
        params_name(params), program.buffers[buffer.index()].size_bytes,
        address_name(program, buffer));
  }
  return text;
}

std::string code_text(const Graph& graph, const Program& program, const EmitOptions& options) {
  const std::string& name = options.name;
  const std::string data = name + "_data";
  std::string text = banner(graph, program, options, name + ".cc");
  text += fmt::format(
      "#include \"{0}.h\"\n\n#include \"{0}_weights.h\"\n#include \"thimble_runtime/index.h\"\n"
      "#include \"thimble_runtime/kernels.h\"\n\nnamespace {{\n\nusing namespace "
      "thimble::runtime;\n\n",
      name);
  text += arena_map(graph, program) + "\n";
  for (const ProgramParams& params : program.params)
    text += params_text(program, params, data) + "\n";
  const std::string asserts = scratch_asserts(program);
  if (!asserts.empty()) text += asserts + "\n";
  const std::vector<Stage> all = stages(graph, program, data);
  const CallerSide side = caller_side(graph, program, name);
  text += caller_struct(side);
  for (const Stage& stage : all) text += stage.text + "\n";
  text += entry_helpers(graph, side, all);
  return text + "}  // namespace\n\n" + entry_points(graph, name, side, all);
}

std::string weights_header(const Program& program, const EmitOptions& options) {
  std::string text = fmt::format(
      "// {0}_weights.h: generated by thimble {1}. Read-only data of {0}.cc.\n#pragma once\n\n"
      "#include <stdint.h>\n\nnamespace {0}_data {{\n\n",
      options.name, options.version);
  for (const ProgramConstant& constant : program.constants) {
    text += fmt::format("extern {};  // {}\n", constant_declaration(constant),
                        to_string(constant.content.shape));
  }
  return text + fmt::format("\n}}  // namespace {}_data\n", options.name);
}

std::string weights_text(const Program& program, const EmitOptions& options) {
  std::string text = fmt::format(
      "// {0}_weights.cc: generated by thimble {1}. Do not edit.\n#include \"{0}_weights.h\"\n\n"
      "namespace {0}_data {{\n\n",
      options.name, options.version);
  for (const ProgramConstant& constant : program.constants) {
    text.append(constant_declaration(constant)).append(" = {\n");
    text.append(constant_elements(constant)).append("};\n\n");
  }
  return text + fmt::format("}}  // namespace {}_data\n", options.name);
}

std::string cmake_text(const EmitOptions& options, const std::vector<EmittedFile>& runtime) {
  std::string sources;
  for (const EmittedFile& file : runtime) {
    if (file.path.ends_with(".cc")) sources += "\n  " + file.path;
  }
  return fmt::format(
      "# {0}: generated by thimble {1}. Add this directory to your project: add_subdirectory({0}), "
      "then\n"
      "# target_link_libraries(your_firmware {0}).\n"
      "add_library({0} STATIC\n  {0}.cc\n  {0}_weights.cc{2})\n"
      "target_compile_features({0} PRIVATE cxx_std_17)\n"
      "target_compile_options({0} PRIVATE -Wall -Wextra -ffreestanding -fno-exceptions -fno-rtti)\n"
      "target_include_directories({0}\n  PUBLIC ${{CMAKE_CURRENT_LIST_DIR}}\n"
      "  PRIVATE ${{CMAKE_CURRENT_LIST_DIR}}/thimble_runtime/include\n"
      "          ${{CMAKE_CURRENT_LIST_DIR}}/thimble_runtime)\n",
      options.name, options.version, sources);
}

}  // namespace

std::vector<EmittedFile> emit(const Graph& graph, const Program& verified,
                              const EmitOptions& options) {
  Program program = verified;
  program.nodes = working_nodes(verified, verified.nodes);
  std::vector<EmittedFile> runtime = runtime_copies(program);
  std::vector<EmittedFile> files;
  files.push_back({options.name + ".h", c_header(graph, program, options)});
  files.push_back({options.name + ".cc", code_text(graph, program, options)});
  files.push_back({options.name + "_weights.h", weights_header(program, options)});
  files.push_back({options.name + "_weights.cc", weights_text(program, options)});
  files.push_back({"example.c", c_example(graph, program, options)});
  files.push_back({"CMakeLists.txt", cmake_text(options, runtime)});
  for (EmittedFile& file : runtime) files.push_back(std::move(file));
  return files;
}

}  // namespace thimble
