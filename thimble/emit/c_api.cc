// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/c_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/emit/c_helpers.h"
#include "thimble/emit/c_ports.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/licence.h"
#include "thimble/emit/names.h"
#include "thimble/emit/reset.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/emit/stage_hooks.h"
#include "thimble/emit/weights.h"
#include "thimble/program/trace_points.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

Shape port_shape(const Graph& graph, const Program& program, const ProgramPort& port) {
  if (program.memory_of(port.buffer) != kStream) return port.shape;
  const Shape& shape = graph.tensor(port.tensor).shape;
  return {shape.begin() + kStreamAxis + 1, shape.end()};  // of a row
}

// The sizes again, as constants by the names of C.
std::string port_constants(const HeaderPort& port) {
  std::vector<std::pair<const char*, const char*>> names;
  if (port.memory == kStream) {
    names = {{"rows", "ROWS"}, {"row_elements", "ROW_ELEMENTS"}, {"row_bytes", "ROW_BYTES"}};
  } else {
    names = {{"elements", "ELEMENTS"}, {"bytes", "BYTES"}};
  }
  if (is_laid_out(port.memory)) names.emplace_back("offset", "OFFSET");
  if (!port.tensor.quantization.scales.empty()) names.emplace_back("zero_point", "ZERO_POINT");
  std::vector<std::string> constants;
  for (const auto& [lower, capital] : names)
    constants.push_back(fmt::format("{}_{} = {}_{}", port.name, lower, port.macro, capital));
  return fmt::format("enum {{ {} }};\n", fmt::join(constants, ", "));
}

std::string port_text(const Graph& graph, const Program& program, const CallerSide& side,
                      const HeaderPort& port, const char* role) {
  const Tensor& tensor = port.tensor;
  const bool rows = port.memory == kStream;
  const Shape shape = port_shape(graph, program, port.port);
  std::string text =
      fmt::format("\n/* {}{} '{}': {} {}{}",
                  rows                     ? "A row of the "
                  : port.memory == kCaller ? "The caller's "
                                           : "The ",
                  role, comment_text(tensor.name), name(tensor.type), to_string(shape),
                  rows && shape.size() == 2  ? " (columns x channels)"
                  : rows                     ? " (channels)"
                  : !port.port.order.empty() ? " (axes in the caller's order)"
                                             : "");
  if (!tensor.quantization.scales.empty()) {
    const int64_t zero_point = port.zero_point();
    text += fmt::format(", real = {:.9g} * (value {} {})", port.scale(), zero_point < 0 ? '+' : '-',
                        zero_point < 0 ? -zero_point : zero_point);
  }
  text += " */\n" + port_macros(graph, program, port) + port_constants(port);
  if (!tensor.quantization.scales.empty())
    text += fmt::format("static inline float {}_scale(void) {{ return {}_SCALE; }}\n", port.name,
                        port.macro);
  if (!is_laid_out(port.memory)) return text;
  const std::string arena = arena_name(program, port.memory);
  return text + fmt::format(
                    "static inline {0}* {1}({2}) {{ return ({0}*)(void*)((uint8_t*){3} + "
                    "{1}_offset); }}\n",
                    c_type(tensor.type), port.name, side.arena_parameter(""),
                    side.memories_type.empty() ? arena : "memories->" + arena);
}

bool all_laid_out(const Program& program, const std::vector<ProgramPort>& ports) {
  return std::ranges::all_of(
      ports, [&](const ProgramPort& port) { return is_laid_out(program.memory_of(port.buffer)); });
}

// How an inference is done, for the head of the file.
std::string usage(const Program& program, const CallerSide& side, const std::string& name) {
  if (side.received != nullptr && !side.storages.empty()) {
    return fmt::format(
        " * The input comes row by row: call {0}_run, which asks for each row when it is needed. "
        "*/\n",
        name);
  }
  if (side.received != nullptr) {
    return fmt::format(
        " * The input comes row by row{2}. Either the rows set the pace: call\n"
        " * {0}_begin, then {0}_push_rows whenever there are some, until it returns true. Or the "
        "network\n"
        " * does: call {0}_run, which asks for each row when it is needed.{1} */\n",
        name,
        side.delivered != nullptr ? " Rows of the\n * output are handed out as they are made."
        : all_laid_out(program, program.outputs) ? " Then read\n * the outputs from their places "
                                                   "in the arena."
                                                 : "",
        is_whole(program, *side.received) ? "" : " and is never whole in memory");
  }
  if (all_laid_out(program, program.inputs) && all_laid_out(program, program.outputs)) {
    return fmt::format(
        " * Write the inputs to their places in the arena, call {}_run, read the outputs from "
        "theirs.\n * Inputs are overwritten. */\n",
        name);
  }
  return fmt::format(" * {}, call {}_run{}. */\n",
                     all_laid_out(program, program.inputs)
                         ? "Write the inputs to their places in the arena (they are overwritten)"
                         : "Inputs are tensors of yours, which are left as they are",
                     name,
                     side.delivered != nullptr ? ", which hands out the output row by row"
                     : all_laid_out(program, program.outputs)
                         ? ", read the outputs from their places in it"
                         : "; outputs are written to tensors of yours");
}

std::string callbacks(const Graph& graph, const CallerSide& side, const std::string& name) {
  std::string text;
  if (side.received != nullptr) {
    text += fmt::format(
        "/* Writes row `row` of the input, {0}_input_row_elements values, to `into`. Rows are "
        "asked "
        "for in\n   order, each once. context: what {0}_run was given. */\n"
        "typedef void (*{0}_receive)(void* context, int32_t row, {1}* into);\n\n",
        name, c_type(graph.tensor(side.received->tensor).type));
  }
  if (side.delivered != nullptr) {
    text += fmt::format(
        "/* Takes row `row` of the output, {0}_output_row_elements values that are gone when it "
        "returns.\n   Rows come in order, each once. */\n"
        "typedef void (*{0}_deliver)(void* context, int32_t row, const {1}* values);\n\n",
        name, c_type(graph.tensor(side.delivered->tensor).type));
  }
  return text;
}

// The form in which the caller's rows set the pace.
std::string push_form(const Graph& graph, const CallerSide& side, const std::string& name) {
  std::string fields, parameters;
  for (const CallerField& field : side.fields) {
    fields += fmt::format("  {} {};\n", field.type, field.name);
    parameters += fmt::format(", {} {}", field.type, field.name);
  }
  return fmt::format(
      "\n/* An inference whose rows come one by one: what of it has been done. */\n"
      "typedef struct {{\n"
      "  int32_t tick; /* the next one */\n"
      "  int32_t row;  /* of the input, the next one */\n{2}"
      "}} {0}_state;\n\n"
      "/* Before the first row of each inference. */\n"
      "void {0}_begin({0}_state* state{3});\n\n"
      "/* Takes the next `count` rows, one after the other in memory, and executes what can be "
      "executed\n   with them. The last row of the input, number {0}_input_rows - 1, ends the "
      "inference: true. The\n   arena must be left alone between the calls of an inference. */\n"
      "bool {0}_push_rows({4}, {0}_state* state, const {1}* rows, int32_t count);\n",
      name, c_type(graph.tensor(side.received->tensor).type), fields, parameters,
      side.arena_parameter(""));
}

// ", 1,024 bytes of psram", a line each, for the memories beside the arena, where there are some.
std::string further_bytes(const Program& program) {
  std::string text;
  for (const MemoryId id : arenas(program)) {
    if (id != kArena)
      text += fmt::format(",\n * {} bytes of {}", with_separators(program.memory(id).size_bytes),
                          program.memory(id).name);
  }
  return text;
}

std::string size_constants(const Program& program, const std::string& name) {
  std::string text;
  for (const MemoryId id : storages(program)) {
    const ProgramMemory& memory = program.memory(id);
    text += fmt::format(
        "/* Storage that an inference writes to and reads from: your driver's (storage.h). */\n"
        "enum {{ {0}_{1}_bytes = {2}, {0}_{1}_granule = {3}, {0}_{1}_block = {4} }};\n",
        name, memory.name, memory.size_bytes, memory.storage->write_bytes,
        memory.storage->erase_bytes);
    if (!image_of(program, id).empty())
      text += fmt::format(
          "/* {}, weights of the network, lies in {} from its first byte on, before any inference. "
          "*/\n",
          image_file(name, memory.name), memory.name);
  }
  if (!storages(program).empty())
    text += fmt::format("enum {{ {}_tokens = {} }}; /* those of transfers are below it */\n", name,
                        program.token_count);
  for (const MemoryId id : arenas(program)) {
    const ProgramMemory& memory = program.memory(id);
    const std::string arena = name + "_" + arena_name(program, id);
    text += fmt::format(
        "#define {1}_BYTES {2}\n#define {1}_ALIGNMENT {3}\n"
        "enum {{ {0}_bytes = {1}_BYTES, {0}_alignment = {1}_ALIGNMENT }};\n",
        arena, upper(arena), memory.size_bytes, memory.alignment);
  }
  return text;
}

// The struct of several memories' pointers.
std::string memories_struct(const Program& program, const CallerSide& side,
                            const std::string& name) {
  if (side.memories_type.empty()) return "";
  std::string fields;
  for (const MemoryId id : arenas(program)) {
    const std::string arena = arena_name(program, id);
    fields +=
        fmt::format("  void* {0}; /* {1}_{0}_bytes bytes{2}, aligned to {1}_{0}_alignment */\n",
                    arena, name, id == kArena ? "" : " of " + program.memory(id).name);
  }
  return fmt::format(
      "/* The memory that an inference needs: a pointer for each, by name. */\n"
      "typedef struct {{\n{}}} {};\n\n",
      fields, side.memories_type);
}

// What the pointers of NAME_run must be.
std::string arena_comment(const CallerSide& side, const std::string& name) {
  const std::string pointers =
      side.memories_type.empty()
          ? fmt::format("{1}: {0}_{1}_bytes bytes, aligned to {0}_{1}_alignment.", name,
                        side.arenas[0])
          : std::string("memories: read at the call, not kept; the pointers aligned as above.");
  return fmt::format(
      "/* One inference. {}\n"
      "   One that is not, or is null, faults somewhere within, or hangs; where THIMBLE_CHECKS is "
      "defined\n   (CMakeLists.txt does for Debug) it traps at the call, or does what your "
      "THIMBLE_ASSERT(condition) does.{} */\n",
      pointers,
      side.storages.empty()
          ? ""
          : "\n   Returns THIMBLE_STORAGE_OK, or the status of a transfer that failed: then the "
            "outputs mean nothing.");
}

}  // namespace

std::string c_header(const Graph& graph, const Program& program, const EmitOptions& options) {
  const std::string& name = options.name;
  const CallerSide side = caller_side(program, name);
  std::string text = licence_lines("/* ", " */");
  text += fmt::format(
      "/* {0}.h: generated by thimble {1}. Do not edit.\n"
      " *\n"
      " * An inference needs {2} bytes of memory, the arena{8}, and nothing else but stack{3}.\n{4}"
      "#pragma once\n\n#include <stdbool.h>\n#include <stdint.h>\n\n{12}{13}\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "{5}\n{10}{6}{7}"
      "{11} {0}_run({9});\n",
      name, options.version, with_separators(program.arena_bytes()),
      side.fields.empty() || !side.fields[0].buffer.valid() ? "" : ", and the caller's tensors",
      usage(program, side, name), size_constants(program, name), callbacks(graph, side, name),
      arena_comment(side, name), further_bytes(program), side.run_parameters("", name),
      memories_struct(program, side, name), side.result_type(),
      side.storages.empty()
          ? ""
          : fmt::format("#include \"{}/storage.h\"\n\n", runtime_folder(options.runtime)),
      common_macros());
  if (side.received != nullptr && side.storages.empty()) text += push_form(graph, side, name);
  text += hook_declarations(side, options, nodes_by_step(program).size());
  text += reset_declaration(program, side, name);
  const std::vector<HeaderPort> inputs = header_inputs(graph, program, name);
  const std::vector<HeaderPort> outputs = header_outputs(graph, program, name);
  text += "\n" + shared_helpers(inputs);
  text += fmt::format("#define {0}_INPUTS {1}\n#define {0}_OUTPUTS {2}\n", upper(name),
                      inputs.size(), outputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    text +=
        port_text(graph, program, side, inputs[k], "input") +
        input_helpers(inputs[k], k < options.pixels.size() ? options.pixels[k] : PixelMeaning());
  }
  for (const HeaderPort& port : outputs)
    text += port_text(graph, program, side, port, "output") + output_helpers(port);
  text += label_declaration(options) + weights_declaration(program, options);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace thimble
