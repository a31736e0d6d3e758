// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/folder_readme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/emit/c_api.h"
#include "thimble/emit/c_ports.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr int64_t kCacheLine = 32;  // of a Cortex-M7

// Text of the model's in a line of Markdown: nothing in it is markup, or begins a table's cell.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : comment_text(text)) {
    if (std::string_view("\\`*_{}[]<>()#+-!|~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// The example without its head.
std::string example(const Graph& graph, const Program& program, const EmitOptions& options) {
  const std::string text = c_example(graph, program, options);
  return text.substr(text.find("#include"));
}

std::string memory_table(const Program& program, const EmitOptions& options) {
  std::string text = "| memory | bytes | alignment |\n|---|---|---|\n";
  for (const MemoryId id : arenas(program)) {
    const ProgramMemory& memory = program.memory(id);
    text += fmt::format("| `{}`, {} | {} | {} |\n", arena_name(program, id),
                        id == kArena ? "all of it for inferences" : "in " + memory.name,
                        with_separators(memory.size_bytes), memory.alignment);
  }
  for (const MemoryId id : storages(program)) {
    text += fmt::format("| `{}`, storage behind your driver | {} | |\n", program.memory(id).name,
                        with_separators(program.memory(id).size_bytes));
  }
  if (!options.stack.empty())
    text += fmt::format("| stack | {} | |\n| code in flash, runtime included | {} | |\n",
                        options.stack, options.code);
  return text +
         fmt::format("| weights, in flash | {} | 16 |\n", with_separators(constant_bytes(program)));
}

std::string place_text(const Program& program, const HeaderPort& port) {
  if (port.memory == kStream) return "row by row";
  if (port.memory == kCaller) return "yours";
  return fmt::format("`{}` + {}", arena_name(program, port.memory),
                     with_separators(program.address(port.port.buffer)));
}

std::string port_table(const Program& program, const std::vector<HeaderPort>& inputs,
                       const std::vector<HeaderPort>& outputs) {
  std::string text =
      "| port | tensor | type | shape | lies | bytes | real |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const std::vector<HeaderPort>* ports : {&inputs, &outputs}) {
    for (const HeaderPort& port : *ports) {
      const std::string real = port.quantized() ? fmt::format("{:.9g} x (value - {})", port.scale(),
                                                              number_literal(port.zero_point()))
                                                : "";
      text += fmt::format(
          "| `{}` | {} | {} | {} | {} | {} | {} |\n", port.name, plain(port.tensor.name),
          name(port.tensor.type), to_string(port.port.shape), place_text(program, port),
          with_separators(elements(port.tensor.shape) * size_bytes(port.tensor.type)), real);
    }
  }
  return text;
}

// Whether ports in arenas share cache lines with other buffers.
std::string cache_text(int64_t alignment, const std::vector<HeaderPort>& inputs,
                       const std::vector<HeaderPort>& outputs) {
  std::vector<std::string> shared, own;
  for (const std::vector<HeaderPort>* ports : {&inputs, &outputs}) {
    for (const HeaderPort& port : *ports) {
      if (!is_laid_out(port.memory)) continue;
      const bool whole = alignment % kCacheLine == 0;
      (whole ? own : shared).push_back("`" + port.name + "`");
    }
  }
  std::string text;
  if (!own.empty())
    text += fmt::format(
        "Where an inference begins or ends, cache lines of {} bytes that hold {} hold nothing else "
        "that counts.\n",
        kCacheLine, fmt::join(own, " and "));
  if (!shared.empty())
    text += fmt::format(
        "{} may share cache lines of {} bytes with other buffers: on a core with a data cache let "
        "DMA write\nto a buffer of its own and copy, or compile with `--align-ports {}`.\n",
        fmt::join(shared, " and "), kCacheLine, kCacheLine);
  return text;
}

std::string inputs_text(const Program& program, const CallerSide& side) {
  std::string text;
  for (const ProgramPort& port : program.inputs) {
    if (is_laid_out(program.memory_of(port.buffer))) {
      text += "Inputs in the arena are overwritten by an inference: write them before each.\n";
      break;
    }
  }
  if (!program.states.empty())
    text += fmt::format(
        "{} bytes are kept from one inference to the next: the arena must be left alone in between "
        "at the\nplaces that the header names, and the first inference needs a reset before it.\n",
        with_separators(state_bytes(program)));
  if (side.received != nullptr)
    text += "Between the rows of an inference the arena must be left alone.\n";
  return text;
}

std::string file_table(const EmitOptions& options) {
  const auto file = [&](const char* end) {
    const std::string path = options.name + end;
    return "`" + (options.placed ? options.placed(path) : path) + "`";
  };
  std::string text = fmt::format(
      "\n| file | |\n|---|---|\n| {} | the API, for C and C++, with sizes as macros |\n"
      "| {}, {}, {}{} | what it is |\n| {} | the plan: what lies where, and when |\n"
      "| {} | the program above; no part of the library |\n",
      file(".h"), file(".cc"), file("_weights.h"), file("_weights.cc"),
      options.labels.empty() ? "" : ", " + file("_labels.cc"), file("_plan.json"),
      file("_example.c"));
  if (options.weights == WeightsForm::kBinary)
    text += fmt::format(
        "\n{} is flashed by itself at `{}_WEIGHTS_ADDRESS`, which is defined where {} is\n"
        "compiled; `{}_weights_ok()` says whether it is there.\n",
        file("_weights.bin"), upper(options.name), file("_weights.cc"), options.name);
  return text;
}

}  // namespace

std::string model_section(const Graph& graph, const Program& program, const EmitOptions& options) {
  const std::string& name = options.name;
  const CallerSide side = caller_side(program, name);
  const std::vector<HeaderPort> inputs = header_inputs(graph, program, name);
  const std::vector<HeaderPort> outputs = header_outputs(graph, program, name);
  std::string text = fmt::format(
      "## {0}\n\nMade of {1} (sha256 `{2}`) by thimble {3}, with\n\n    {4}\n\n", name,
      plain(graph.name), options.sha256, options.version, comment_text(options.command));
  text += fmt::format(
      "The same command, with `-o` this folder, renews it. `thimble verify MODEL FOLDER` checks "
      "the "
      "plan, and\nevery file here against it.\n\n```c\n{}```\n\n",
      example(graph, program, options));
  text += memory_table(program, options) + "\n" + port_table(program, inputs, outputs) + "\n" +
          inputs_text(program, side) + cache_text(options.port_alignment, inputs, outputs);
  return text + file_table(options);
}

std::string folder_readme(const std::vector<std::string>& sections,
                          const std::vector<std::string>& runtimes, const std::string& version,
                          const std::string& building) {
  std::string text = fmt::format(
      "# {} as firmware sources\n\nGenerated by thimble {}. Do not edit: the folder is written "
      "anew "
      "as a whole.\n\n",
      sections.size() == 1 ? "A neural network" : "Neural networks", version);
  for (const std::string& section : sections) text += section + "\n";
  text += fmt::format(
      "## Building\n\n"
      "{2}\n"
      "## Alignment and checks\n\n"
      "Each arena is aligned as its `_ALIGNMENT` says: `static "
      "THIMBLE_ALIGNED(MODEL_ARENA_ALIGNMENT) "
      "uint8_t\narena[MODEL_ARENA_BYTES];`. With `THIMBLE_CHECKS` defined null pointers and\n"
      "misaligned arenas trap at the call. Define "
      "`THIMBLE_ASSERT(condition)` when compiling to have them do\nsomething else.\n\n"
      "## Reentrancy, threads, interrupts\n\n"
      "There is no state but what the caller hands over: no global variables (but below), nothing "
      "is "
      "allocated. "
      "Two inferences\nmay run at once, of one model or of several, if each has an arena (and, "
      "with "
      "rows, a state) of its own; one\narena serves one after the other. Any thread or interrupt "
      "handler may call, with the stack given above. An\ninference that is interrupted goes on "
      "where "
      "it was. Code of `--trace`, and with `THIMBLE_HOOKS`, has a hook and a trace in global "
      "variables: one\ninference of a model at a time.\n\n"
      "## DMA and caches\n\n"
      "A peripheral may write an input in place, and read an output, while no inference is "
      "running. "
      "On a core with\na data cache (Cortex-M7, M55, M85) invalidate the lines of the input after "
      "DMA has written "
      "them, before the\ninference; clean the lines of the output before DMA reads them. Where "
      "lines are shared with other buffers\n(above), invalidating loses what is in them: do so "
      "before anything else is written to the arena, or copy.\n\n"
      "## Whose it is\n\n"
      "What is made of a model is its owner's. The runtime, `{0}/`, is Thimble's, under "
      "Apache-2.0: "
      "`{1}/LICENSE`.\nEvery source says so in its first line. `thimble.json` lists what Thimble "
      "wrote here, and replaces; other files\nstay as they are.\n",
      fmt::join(runtimes, "/`, `"), runtimes.empty() ? "" : runtimes.front(), building);
  return text;
}

}  // namespace thimble
