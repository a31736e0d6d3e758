// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/entry_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/emit/names.h"

namespace thimble {
namespace {

// The stage that rows of the input drive, or the end.
std::vector<Stage>::const_iterator ticking(const std::vector<Stage>& stages) {
  return std::ranges::find_if(stages, [](const Stage& stage) { return stage.ticks > 0; });
}

bool streams(const std::vector<Stage>& stages) { return ticking(stages) != stages.end(); }

bool uses(const std::vector<Stage>& stages, const std::string& what) {
  return std::ranges::any_of(stages, [&](const Stage& s) { return mentions(s.call, what); });
}

const char* input_type(const Graph& graph, const CallerSide& side) {
  return c_type(graph.tensor(side.received->tensor).type);
}

// Behind the ticks; or all.
std::vector<Stage> rest(const std::vector<Stage>& stages) {
  return {streams(stages) ? ticking(stages) + 1 : stages.begin(), stages.end()};
}

// "arena, caller" as the stages of `stages` need them, with the types before them or without.
std::string handed(const CallerSide& side, const std::vector<Stage>& stages, bool types) {
  std::string text;
  const auto add = [&](const char* type, const std::string& name) {
    if (uses(stages, name)) text += (text.empty() ? "" : ", ") + (types ? type + name : name);
  };
  for (const std::string& arena : side.arenas) add("int8_t* ", arena);
  for (const std::string& storage : side.storages) add("Transfers& ", storage + "_transfers");
  add("const Caller& ", "caller");
  return text;
}

// A line that calls the stage.
std::string call_line(const Stage& stage, const char* indent = "  ") {
  return fmt::format("{}{};{}\n", indent, stage.call,
                     stage.note.empty() ? "" : "  // " + stage.note);
}

// The first lines of an entry point: its parameters as the stages want them.
std::string opening(const std::string& name, const CallerSide& side,
                    const std::vector<Stage>& stages, const std::string& fields) {
  const bool several = !side.memories_type.empty();
  std::string text;
  for (const std::string& arena : side.arenas) {
    const bool row = streams(stages) && ticking(stages)->row_arena == arena;
    if (!row && !uses(stages, arena)) continue;
    text += fmt::format(
        "#ifdef THIMBLE_CHECKS\n"
        "  if (reinterpret_cast<uintptr_t>({2}) % {1}_{0}_alignment != 0) __builtin_trap();\n"
        "#endif\n"
        "  int8_t* const {0} = static_cast<int8_t*>({2});\n",
        arena, name, several ? "memories->" + arena : arena + "_bytes");
  }
  if (text.empty())
    text = fmt::format("  (void){};  // nothing lies there\n",
                       several ? "memories" : side.arenas[0] + "_bytes");
  if (!side.fields.empty() && uses(stages, "caller"))
    text += fmt::format("  const Caller caller{{{}}};\n", fields);
  return text;
}

// Behind a call that may have found a fault: leaves with it.
std::string fault_text(const CallerSide& side, const std::string& call, const char* indent = "  ") {
  std::string text;
  for (const std::string& storage : side.storages) {
    if (!mentions(call, storage + "_transfers")) continue;
    std::string others;
    for (const std::string& other : side.storages)
      others += other == storage ? "" : fmt::format(", {}_transfers", other);
    text += fmt::format("{1}if ({0}_transfers.status != 0) return ended({0}_transfers{2});\n",
                        storage, indent, others);
  }
  return text;
}

// What keeps track of each storage. What is not brought fails at the first transfer.
std::string transfers_text(const CallerSide& side) {
  if (side.storages.empty()) return "";
  std::string text = "  InFlight flights[kTokens] = {};\n";
  for (const std::string& storage : side.storages)
    text += fmt::format("  Transfers {0}_transfers{{{0}, flights, 0, 0}};\n", storage);
  for (const std::string& storage : side.images) {
    const std::string call =
        fmt::format("check_image({0}_transfers, 0, {1}, {1}Label)", storage, image_name(storage));
    text += fmt::format("  {};\n", call) + fault_text(side, call);
  }
  return text;
}

std::string run_text(const std::string& name, const CallerSide& side,
                     const std::vector<Stage>& stages) {
  const bool pulls = streams(stages);
  std::string text = fmt::format("{} {}_run({}) {{\n", side.result_type(), name,
                                 side.run_parameters("_bytes", name));
  text += opening(name, side, stages, side.arguments()) + transfers_text(side);
  if (!uses(stages, "caller")) {
    for (const CallerField& field : side.fields)
      text += fmt::format("  (void){};  // no operator reads or writes it\n", field.name);
  }
  const std::string end = side.storages.empty() ? "}\n" : "  return THIMBLE_STORAGE_OK;\n}\n";
  if (!pulls) {
    for (const Stage& stage : stages) text += call_line(stage) + fault_text(side, stage.call);
    return text + end;
  }
  // Transfers alone.
  for (auto stage = stages.begin(); stage != ticking(stages); ++stage)
    text += call_line(*stage) + fault_text(side, stage->call);
  const Stage& ticks = *ticking(stages);
  text += fmt::format(
      "  for (int32_t tick = 0; tick < kTicks; ++tick) {{\n"
      "    const Rows rows = rows_of(tick);\n"
      "    for (int32_t row = rows.begin; row < rows.end; ++row)\n"
      "      receive(context, row, row_place({}, row));\n"
      "{}  }}\n",
      ticks.row_arena, call_line(ticks, "    ") + fault_text(side, ticks.call, "    "));
  if (!rest(stages).empty()) {
    const std::string arguments = handed(side, rest(stages), false);
    text += fmt::format("  finish({});\n", arguments) + fault_text(side, arguments);
  }
  return text + end;
}

std::string push_text(const Graph& graph, const std::string& name, const CallerSide& side,
                      const std::vector<Stage>& stages) {
  std::string parameters, kept, fields;
  for (const CallerField& field : side.fields) {
    parameters += fmt::format(", {} {}", field.type, field.name);
    kept += fmt::format("  state->{0} = {0};\n", field.name);
    fields += fmt::format("{}state->{}", fields.empty() ? "" : ", ", field.name);
  }
  const char* type = input_type(graph, side);
  return fmt::format(
             "\nvoid {0}_begin({0}_state* state{1}) {{\n"
             "  state->tick = 0;\n  state->row = 0;\n{2}}}\n\n"
             "bool {0}_push_rows({5}, {0}_state* state, const {3}* rows, int32_t "
             "count) {{\n"
             "  if (state->tick == kTicks) return true;\n{4}",
             name, parameters, kept, type, opening(name, side, stages, fields),
             side.arena_parameter("_bytes")) +
         fmt::format(
             "  for (; state->tick < kTicks; ++state->tick) {{\n"
             "    for (; state->row < rows_of(state->tick).end; ++state->row) {{\n"
             "      if (count-- <= 0) return false;\n"
             "      {0}* const into = row_place({4}, state->row);\n"
             "      for (int32_t k = 0; k < kRowElements; ++k) into[k] = rows[k];\n"
             "      rows += kRowElements;\n"
             "    }}\n"
             "{3}{1}  }}\n{2}  return true;\n}}\n",
             type, call_line(stages.front(), "    "),
             rest(stages).empty()
                 ? ""
                 : fmt::format("  finish({});\n", handed(side, rest(stages), false)),
             uses({stages.front()}, "tick") ? "    const int32_t tick = state->tick;\n" : "",
             stages.front().row_arena);
}

}  // namespace

std::string caller_struct(const CallerSide& side) {
  if (side.fields.empty()) return "";
  std::string text = "// What the caller brings besides the arena.\nstruct Caller {\n";
  for (const CallerField& field : side.fields)
    text += fmt::format("  {} {};\n", field.type, field.name);
  return text + "};\n\n";
}

std::string entry_helpers(const Graph& graph, const CallerSide& side,
                          const std::vector<Stage>& stages) {
  std::string text;
  if (!side.storages.empty())
    text =
        "// Nothing of any storage is left in flight. The status is the first one's.\n"
        "template <class... Others>\n"
        "int ended(const Transfers& failed, const Others&... others) noexcept {\n"
        "  const Transfers* const all[] = {&failed, &others...};\n"
        "  for (const Transfers* each : all) {\n"
        "    if (each->storage != nullptr && each->storage->cancel != nullptr)\n"
        "      each->storage->cancel(each->storage->context);\n"
        "  }\n"
        "  return failed.status;\n}\n\n";
  if (!streams(stages)) return text;
  const Stage& ticks = *ticking(stages);
  const StreamRows rows = stream_rows(graph, *side.received);
  const char* type = input_type(graph, side);
  const bool constant = !mentions(ticks.rows_begin, "tick") && !mentions(ticks.rows_end, "tick");
  text += fmt::format(
      "constexpr int32_t kTicks = {};\nconstexpr int32_t kRowElements = {};\n\n"
      "struct Rows {{\n  int32_t begin, end;\n}};\n\n"
      "// The rows of the input that come with a tick; each goes on where the one before ended.\n"
      "Rows rows_of(int32_t{}) noexcept {{ return {{{}, {}}}; }}\n\n"
      "// Where a row of the input belongs.\n"
      "{}* row_place(int8_t* {}, int32_t row) noexcept {{\n  return {};\n}}\n\n",
      ticks.ticks, rows.row_elements, constant ? "" : " tick", ticks.rows_begin, ticks.rows_end,
      type, ticks.row_arena, ticks.row_place);
  const std::vector<Stage> after = rest(stages);
  if (after.empty()) return text;
  text += fmt::format("// What follows when all rows have come.\nvoid finish({}) noexcept {{\n",
                      handed(side, after, true));
  for (const Stage& stage : after) text += call_line(stage);
  return text + "}\n\n";
}

std::string entry_points(const Graph& graph, const std::string& name, const CallerSide& side,
                         const std::vector<Stage>& stages) {
  std::string text = run_text(name, side, stages);
  if (streams(stages) && side.storages.empty()) text += push_text(graph, name, side, stages);
  return text;
}

}  // namespace thimble
