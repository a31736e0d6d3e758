// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "thimble/emit/c_api.h"
#include "thimble/emit/c_ports.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/licence.h"
#include "thimble/emit/names.h"

namespace thimble {
namespace {

class Example {
 public:
  Example(const Graph& graph, const Program& program, const EmitOptions& options)
      : graph_(graph),
        program_(program),
        name_(options.name),
        labelled_(!options.labels.empty()),
        frame_(options.example),
        side_(caller_side(program, options.name)) {}

  std::string run() {
    std::string text = licence_lines("/* ", " */");
    text += frame_.about.empty()
                ? fmt::format(
                      "/* {}_example.c: one inference. Build it with the files beside it; "
                      "see CMakeLists.txt. */\n",
                      name_)
                : "/* " + frame_.about + " */\n";
    text += frame_.head + fmt::format("#include \"{}.h\"\n\n", name_);
    for (const MemoryId id : arenas(program_)) {
      const ProgramMemory& memory = program_.memory(id);
      const std::string arena = arena_name(program_, id);
      text +=
          fmt::format("static THIMBLE_ALIGNED({}) uint8_t {}[{}];{}\n",
                      fmt::format("{}_{}_alignment", name_, arena), arena,
                      memory.size_bytes > 0 ? fmt::format("{}_{}_bytes", name_, arena)
                                            : "1 /* nothing lies there */",
                      id == kArena ? "" : fmt::format(" /* yours to place in {} */", memory.name));
    }
    for (const std::string& storage : side_.storages)
      text += fmt::format("extern const thimble_storage {}; /* your driver of it */\n", storage);
    text += memories() + outside() + "\n" + frame_.function + " {\n";
    for (size_t k = 0; k < program_.inputs.size(); ++k) text += fill(k);
    text += call();
    if (side_.delivered != nullptr) return text + "  return largest_row;\n}\n" + frame_.tail;
    const std::string port = port_prefix("output", 0, program_.outputs);
    const std::string y = program_.memory_of(program_.outputs[0].buffer) == kCaller
                              ? label("output", 0, program_.outputs)
                              : "y";
    if (y == "y") {
      text += fmt::format("  const {}* y = {}({});\n",
                          c_type(graph_.tensor(program_.outputs[0].tensor).type), port,
                          side_.arena_argument());
    }
    const HeaderPort scores = header_outputs(graph_, program_, name_).front();
    if (scores.classes() > 0) {
      const std::string named =
          labelled_ ? fmt::format(" /* {}_label(best) says what it is */", name_) : "";
      return text +
             fmt::format("  int32_t best = 0;\n  {}({}, 1, &best);\n  return (int)best;{}\n}}\n",
                         scores.function("top_k"), y, named) +
             frame_.tail;
    }
    return text +
           fmt::format(
               "  int best = 0;\n"
               "  for (int k = 1; k < {1}_elements; ++k) {{\n    if ({0}[k] > {0}[best]) best = "
               "k;\n  }}\n  return best;\n}}\n",
               y, port) +
           frame_.tail;
  }

 private:
  static std::string label(const char* what, size_t k, const std::vector<ProgramPort>& ports) {
    return port_label(what, k, ports.size());
  }
  std::string port_prefix(const char* what, size_t k, const std::vector<ProgramPort>& ports) const {
    return name_ + "_" + label(what, k, ports);
  }
  std::string type(const ProgramPort& port) const {
    return c_type(graph_.tensor(port.tensor).type);
  }

  /// Pointers to several.
  std::string memories() const {
    if (side_.memories_type.empty()) return "";
    std::vector<std::string> fields;
    for (const std::string& arena : side_.arenas)
      fields.push_back(fmt::format(".{0} = {0}", arena));
    return fmt::format("static const {} memories = {{{}}};\n", side_.memories_type,
                       fmt::join(fields, ", "));
  }

  /// Tensors of the user's, and what takes rows of the output.
  std::string outside() const {
    std::string text;
    for (const CallerField& field : side_.fields) {
      if (!field.buffer.valid()) continue;
      const DType t = program_.buffers[field.buffer.index()].type;
      text += fmt::format("static {0} {1}[{2}_{1}_elements];\n", c_type(t), field.name, name_);
    }
    if (side_.received != nullptr && !side_.storages.empty())
      text += fmt::format(
          "\nstatic void give_row(void* context, int32_t row, {1}* into) {{\n"
          "  (void)context;\n  (void)row;\n"
          "  for (int k = 0; k < {0}_input_row_elements; ++k) into[k] = 0; /* a row of your camera "
          "*/\n}}\n",
          name_, type(*side_.received));
    if (side_.delivered == nullptr) return text;
    return text + fmt::format(
                      "static {1} largest;\nstatic int largest_row = -1;\n\n"
                      "static void take_row(void* context, int32_t row, const {1}* values) {{\n"
                      "  (void)context;\n"
                      "  for (int k = 0; k < {0}_output_row_elements; ++k) {{\n"
                      "    if (largest_row >= 0 && values[k] <= largest) continue;\n"
                      "    largest = values[k];\n    largest_row = row;\n  }}\n}}\n",
                      name_, type(*side_.delivered));
  }

  std::string fill(size_t k) const {
    const ProgramPort& port = program_.inputs[k];
    const MemoryId memory = program_.memory_of(port.buffer);
    if (memory == kStream) return "";
    const std::string prefix = port_prefix("input", k, program_.inputs);
    const bool quantized = !graph_.tensor(port.tensor).quantization.zero_points.empty();
    const bool own = memory == kCaller;
    const std::string x = own ? label("input", k, program_.inputs) : fmt::format("x{}", k);
    std::string text;
    if (!own)
      text = fmt::format("  {}* {} = {}({});\n", type(port), x, prefix, side_.arena_argument());
    return text + fmt::format(
                      "  for (int k = 0; k < {0}_elements; ++k) {1}[k] = {2}; /* your data here "
                      "*/\n",
                      prefix, x, quantized ? prefix + "_zero_point" : "0");
  }

  /// Before the first inference alone, where the function is called again and again.
  std::string reset_text(const char* arenas) const {
    if (frame_.function == ExampleFrame().function)
      return fmt::format("  {}_reset({}); /* once, then as many inferences as you like */\n", name_,
                         arenas);
    return fmt::format(
        "  static int is_reset;\n"
        "  if (!is_reset) {}_reset({}); /* once, then as many inferences as you like */\n"
        "  is_reset = 1;\n",
        name_, arenas);
  }

  /// Arguments of NAME_run, which asks for rows.
  std::string pulled() const {
    std::string arguments;
    for (const std::string& storage : side_.storages) arguments += ", &" + storage;
    for (const CallerField& field : side_.fields) {
      if (field.buffer.valid()) arguments += ", " + field.name;
    }
    arguments += ", give_row";
    return arguments + (side_.delivered != nullptr ? ", take_row, 0" : ", 0");
  }

  std::string call() const {
    const char* const arenas = side_.arena_argument();
    std::string arguments;
    for (const std::string& storage : side_.storages) arguments += ", &" + storage;
    for (const CallerField& field : side_.fields) {
      const char* deliver = field.name == "deliver" ? "take_row" : "0";
      arguments += ", " + (field.buffer.valid() ? field.name : std::string(deliver));
    }
    const std::string reset = program_.states.empty() ? "" : reset_text(arenas);
    if (side_.received != nullptr && !side_.storages.empty()) arguments = pulled();
    if (side_.received == nullptr || !side_.storages.empty()) {
      const std::string run = fmt::format("{}_run({}{})", name_, arenas, arguments);
      if (side_.storages.empty()) return reset + "  " + run + ";\n";
      return reset + fmt::format("  if ({} != THIMBLE_STORAGE_OK) return -1;\n", run);
    }
    const bool quantized = !graph_.tensor(side_.received->tensor).quantization.zero_points.empty();
    return reset + fmt::format(
                       "  {0}_state state;\n"
                       "  {0}_begin(&state{1});\n"
                       "  for (int row = 0; row < {0}_input_rows; ++row) {{\n"
                       "    {2} values[{0}_input_row_elements];\n"
                       "    for (int k = 0; k < {0}_input_row_elements; ++k) values[k] = {3}; /* a "
                       "row of your "
                       "camera */\n"
                       "    {0}_push_rows({4}, &state, values, 1);\n  }}\n",
                       name_, arguments, type(*side_.received),
                       quantized ? name_ + "_input_zero_point" : "0", arenas);
  }

  const Graph& graph_;
  const Program& program_;
  const std::string& name_;
  bool labelled_;
  const ExampleFrame& frame_;
  CallerSide side_;
};

}  // namespace

std::string c_example(const Graph& graph, const Program& program, const EmitOptions& options) {
  return Example(graph, program, options).run();
}

}  // namespace thimble
