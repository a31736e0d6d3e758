// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/stage_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "thimble/emit/checks.h"
#include "thimble/emit/names.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr size_t kHashDigits = 16;

std::string hash_text(const std::string& hash) {
  return fmt::format("\"{:0<16}\"", hash.substr(0, kHashDigits));
}

std::string identity(const EmitOptions& options) {
  return fmt::format("{}, {}", hash_text(options.sha256), hash_text(options.plan_sha256));
}

// Runs of rows of the table are one line, with the row as the stage's distance from theirs.
std::string table_lines(const std::vector<Stage>& stages, size_t first) {
  std::string text;
  for (size_t s = first; s < stages.size(); ++s) {
    if (stages[s].row < 0) continue;
    const size_t begin = s;
    while (s + 1 < stages.size() && stages[s + 1].row >= 0) ++s;
    const int64_t row = stages[begin].row - static_cast<int64_t>(begin);
    const std::string at =
        row == 0 ? "stage" : fmt::format("stage {} {}", row < 0 ? '-' : '+', row < 0 ? -row : row);
    const std::string from = begin == 0 ? "" : fmt::format("stage >= {} && ", begin);
    text += fmt::format("  if ({}stage < {}) run_steps(arena, {}, {} + 1);\n", from, s + 1, at, at);
  }
  return text;
}

// Their numbers are the program's. Empty: none lies in flash.
std::string constants_text(const Observed& its) {
  std::string text;
  for (size_t k = 0; k < its.program.constants.size(); ++k) {
    const ProgramConstant& constant = its.program.constants[k];
    if (is_in_flash(its.program, constant))
      text += fmt::format("    {{{}_data::{}, {}, {}}},\n", its.options.name, constant.name, k,
                          constant.content.data.size());
  }
  return text;
}

std::string switch_text(const std::vector<std::pair<size_t, std::string>>& cases) {
  if (cases.empty()) return "";
  std::string text = "  switch (stage) {\n";
  for (const auto& [stage, lines] : cases)
    text += fmt::format("    case {}:\n{}      break;\n", stage, lines);
  return text + "    default:\n      break;\n  }\n";
}

std::string indented(const std::string& lines, const std::string& indent) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at) + 1;
    text += indent + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

std::string pointer_of(const Observed& its, const ProgramPort& port) {
  const MemoryId memory = its.program.memory_of(port.buffer);
  if (memory == kCaller) return "caller." + outside_name(its.program, port.buffer);
  return fmt::format("{} + {}", arena_name(its.program, memory), its.program.address(port.buffer));
}

std::span<const Stage> behind(const Observed& its, size_t first) {
  return std::span(its.stages).subspan(first);
}

std::string execute_call(const Observed& its, size_t first) {
  const std::string arguments = handed(its.side, behind(its, first), false);
  return fmt::format("execute(stage{}{})", arguments.empty() ? "" : ", ", arguments);
}

// Whether functions that begin an inference have a pointer to where the port lies.
bool is_handed(const Observed& its, const ProgramPort& port) {
  const MemoryId memory = its.program.memory_of(port.buffer);
  if (memory == kStream) return false;
  return uses(its.stages, memory == kCaller ? "caller" : arena_name(its.program, memory));
}

std::string names_text(const std::vector<Stage>& stages) {
  std::string text;
  for (const Stage& stage : stages) text += fmt::format("      \"{}\",\n", stage.name);
  return text.empty() ? "      \"\",\n" : text;
}

}  // namespace

std::string hook_declarations(const CallerSide& side, const EmitOptions& options, size_t stages) {
  const std::string& name = options.name;
  std::string text = fmt::format(
      "\n/* An inference has so many stages: the operators, or loops over rows of several. */\n"
      "enum {{ {}_stages = {} }};\n",
      name, stages);
  if (side.received == nullptr && side.storages.empty()) {
    std::string parameters = side.run_parameters("", name);
    text += fmt::format(
        "/* Stage number `stage` of one, for an operating system's task or a watchdog: all of them "
        "from 0 on, in order,\n   each once, are {0}_run. In between the arena must be left "
        "alone. */\n"
        "void {0}_step({1}, int32_t stage);\n",
        name, parameters);
  }
  text += fmt::format(
      "#ifdef THIMBLE_HOOKS /* as it is for {0}.cc */\n"
      "/* Called before and after each stage, and around the inference with stage -1; null: "
      "nobody. */\n"
      "void {0}_set_hook(void (*hook)(void* context, int32_t stage, bool begins), void* context);\n"
      "/* \"\" for -1. */\nconst char* {0}_stage_name(int32_t stage);\n"
      "/* The hook measures from now on. cycles: what counts up, 32 bits that may wrap; null: the "
      "core's own counter.\n   False: it has none (Cortex-M0, M0+, M23). */\n"
      "bool {0}_profile(uint32_t (*cycles)(void));\n"
      "/* What was measured, for `thimble profile`: lines, without their ends. */\n"
      "void {0}_print_profile(void (*print)(const char* line));\n"
      "#endif\n",
      name);
  if (options.trace) {
    text += fmt::format(
        "/* From the next inference on each is told, for `thimble diagnose`: lines, without their "
        "ends; null: no longer. */\n"
        "void {}_trace(void (*print)(const char* line));\n",
        name);
  }
  return text;
}

std::string hook_variables(const Observed& its) {
  std::string text = fmt::format(
      "[[maybe_unused]] constexpr int32_t kStages = {};\n\n[[maybe_unused]] StageHook hook;\n"
      "#ifdef THIMBLE_HOOKS\nProfile<kStages> profile;\n#endif\n",
      its.stages.size());
  if (!its.traced()) return text + "\n";
  size_t most = 1;
  std::string writes;
  for (const Stage& stage : its.stages) {
    most = std::max(most, stage.traced_writes);
    writes += fmt::format("{}{}", writes.empty() ? "" : ", ", stage.traced_writes);
  }
  check(most < 256, "a stage that is traced writes too many tensors");
  text += fmt::format(
      "Trace<{}> trace({}, kStages);\n"
      "// How many tensors each stage tells of.\n"
      "constexpr uint8_t kTracedWrites[] = {{{}}};\n",
      most, identity(its.options), writes.empty() ? "0" : writes);
  if (const std::string constants = constants_text(its); !constants.empty())
    text += fmt::format("constexpr TracedConstant kTracedConstants[] = {{\n{}}};\n", constants);
  return text + "\n";
}

std::string execute_function(const Observed& its, size_t first) {
  std::vector<std::pair<size_t, std::string>> traces, calls;
  for (size_t s = first; s < its.stages.size(); ++s) {
    const Stage& stage = its.stages[s];
    if (!stage.trace.empty()) traces.emplace_back(s, indented(stage.trace, "      "));
    if (stage.row < 0) calls.emplace_back(s, fmt::format("      {};\n", stage.call));
  }
  std::string body;
  if (its.traced()) body += "  trace.stage_begins(stage);\n" + switch_text(traces);
  body += table_lines(its.stages, first) + switch_text(calls);
  if (its.traced()) body += "  trace.stage_ended(kTracedWrites[stage]);\n";
  if (body.empty()) body = "  (void)stage;  // there is none\n";
  const std::string parameters = handed(its.side, behind(its, first), true);
  return fmt::format(
      "// Stage number `stage`.\n"
      "[[maybe_unused]] void execute(int32_t stage{}{}) noexcept {{\n{}}}\n\n",
      parameters.empty() ? "" : ", ", parameters, body);
}

std::string execute_loop(const Observed& its, size_t first, OnFault on_fault) {
  const std::string call = execute_call(its, first);
  return fmt::format(
      "  for (int32_t stage = {}; stage < kStages; ++stage) {{\n"
      "    hook.begins(stage);\n    {};\n{}    hook.ended(stage);\n  }}\n",
      first, call, on_fault == OnFault::kLeave ? fault_text(its.side, call, "    ") : "");
}

std::string inference_begins(const Observed& its, const std::string& indent) {
  std::string text = "hook.begins(kWholeInference);\n";
  if (!its.traced()) return indent + text;
  text += "trace.begin();\n";
  if (!constants_text(its).empty()) text += "trace.constants(kTracedConstants);\n";
  for (size_t k = 0; k < its.program.inputs.size(); ++k) {
    const ProgramPort& port = its.program.inputs[k];
    if (is_handed(its, port))
      text += fmt::format("trace.bytes(\"input\", {}, 0, {}, {});\n", k, pointer_of(its, port),
                          port.size_bytes);
  }
  for (size_t k = 0; k < its.program.states.size(); ++k) {
    const ProgramPort& port = its.program.states[k].before;
    if (!is_handed(its, port)) continue;
    text += fmt::format("trace.bytes(\"state\", {}, 0, {}, {});\n", k, pointer_of(its, port),
                        port.size_bytes);
  }
  return indented(text, indent);
}

std::string inference_ended(const Observed& its, const std::string& indent) {
  return indented(its.traced() ? "trace.end();\nhook.ended(kWholeInference);\n"
                               : "hook.ended(kWholeInference);\n",
                  indent);
}

std::string hook_definitions(const Observed& its) {
  const std::string& name = its.options.name;
  std::string text = fmt::format(
      "\n#ifdef THIMBLE_HOOKS\n"
      "void {0}_set_hook(void (*call)(void* context, int32_t stage, bool begins), void* context) "
      "{{\n  hook = {{call, context}};\n}}\n\n"
      "const char* {0}_stage_name(int32_t stage) {{\n"
      "  static const char* const kNames[] = {{\n{1}  }};\n"
      "  return stage >= 0 && stage < kStages ? kNames[stage] : \"\";\n}}\n\n"
      "bool {0}_profile(uint32_t (*cycles)(void)) {{\n"
      "  hook = profile.start(cycles);\n  return hook.call != nullptr;\n}}\n\n"
      "void {0}_print_profile(void (*print)(const char* line)) {{ profile.print({2}, print); }}\n"
      "#endif\n",
      name, names_text(its.stages), identity(its.options));
  if (its.has_step()) {
    text += fmt::format(
        "\nvoid {}_step({}, int32_t stage) {{\n{}{}  {};\n}}\n", name,
        its.side.run_parameters("_bytes", name),
        opening(name, its.side, its.stages, its.side.arguments(), field_conditions(its.side)),
        unused_fields(its.side, its.stages), execute_call(its, 0));
  }
  if (its.traced()) {
    text += fmt::format(
        "\nvoid {}_trace(void (*print)(const char* line)) {{ trace.print_to(print); }}\n", name);
  }
  return text;
}

}  // namespace thimble
