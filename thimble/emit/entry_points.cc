// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/entry_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "thimble/emit/checks.h"
#include "thimble/emit/names.h"
#include "thimble/emit/stage_calls.h"

namespace thimble {
namespace {

// The stage that rows of the input drive, or the end.
std::vector<Stage>::const_iterator ticking(const std::vector<Stage>& stages) {
  return std::ranges::find_if(stages, [](const Stage& stage) { return stage.ticks > 0; });
}

bool streams(const std::vector<Stage>& stages) { return ticking(stages) != stages.end(); }

const char* input_type(const Graph& graph, const CallerSide& side) {
  return c_type(graph.tensor(side.received->tensor).type);
}

// Behind the ticks; or all.
std::span<const Stage> rest(const std::vector<Stage>& stages) {
  const auto first = streams(stages) ? ticking(stages) + 1 : stages.begin();
  return std::span(stages).subspan(static_cast<size_t>(first - stages.begin()));
}

// A call of one stage, which says so to whoever listens.
std::string observed_call(const Observed& its, const Stage& stage, const std::string& indent) {
  const auto number = &stage - its.stages.data();
  return fmt::format("{0}hook.begins({1});\n{0}{2};\n{3}{0}hook.ended({1});\n", indent, number,
                     stage.call, fault_text(its.side, stage.call, indent));
}

// Where traced: the tensors that all ticks write are told of when the last is done.
std::string ticks_begin(const Observed& its, const std::string& indent = "  ") {
  if (!its.traced()) return "";
  return fmt::format("{}trace.stage_begins({});\n", indent,
                     ticking(its.stages) - its.stages.begin());
}
std::string ticks_ended(const Observed& its) {
  if (!its.traced()) return "";
  return fmt::format("  trace.stage_ended({});\n", ticking(its.stages)->traced_writes);
}
// A row as the caller gave it.
std::string row_text(const Observed& its, const std::string& row, const std::string& indent) {
  if (!its.traced()) return "";
  const StreamRows rows = stream_rows(its.graph, *its.side.received);
  const int64_t bytes =
      rows.row_elements * size_bytes(its.graph.tensor(its.side.received->tensor).type);
  const auto number = its.side.received - its.program.inputs.data();
  return fmt::format(
      "{0}trace.bytes(\"input\", {1}, static_cast<uint32_t>({2}) * {3}, into, {3});\n", indent,
      number, row, bytes);
}

// The stages from number `first` on: in a loop for those who listen, and else as they are. begins,
// ended: what those do before and after.
std::string observed_stages(const Observed& its, size_t first, const std::string& begins,
                            const std::string& ended, OnFault on_fault) {
  const std::string loop = begins + execute_loop(its, first, on_fault) + ended;
  if (its.traced()) return loop;
  return "#ifdef THIMBLE_HOOKS\n" + loop + "#else\n" +
         call_lines(its.side, std::span(its.stages).subspan(first), on_fault) + "#endif\n";
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
    text += fmt::format("  {};\n", call) + fault_text(side, call, "  ");
  }
  return text;
}

std::string run_text(const Observed& its) {
  const CallerSide& side = its.side;
  const std::vector<Stage>& stages = its.stages;
  const std::string& name = its.options.name;
  std::string text = fmt::format("{} {}_run({}) {{\n", side.result_type(), name,
                                 side.run_parameters("_bytes", name));
  std::vector<std::string> conditions = field_conditions(side);
  if (streams(stages)) conditions.emplace_back("receive != nullptr");
  text += opening(name, side, stages, side.arguments(), conditions) + transfers_text(side);
  text += unused_fields(side, stages);
  const std::string end = side.storages.empty() ? "}\n" : "  return THIMBLE_STORAGE_OK;\n}\n";
  if (!streams(stages))
    return text +
           observed_stages(its, 0, inference_begins(its), inference_ended(its), OnFault::kLeave) +
           end;
  text += inference_begins(its);
  const Stage& ticks = *ticking(stages);
  // Transfers alone.
  for (const Stage* stage = stages.data(); stage != &ticks; ++stage)
    text += observed_call(its, *stage, "  ");
  text += ticks_begin(its);
  text += fmt::format(
      "  for (int32_t tick = 0; tick < kTicks; ++tick) {{\n"
      "    const Rows rows = rows_of(tick);\n"
      "    for (int32_t row = rows.begin; row < rows.end; ++row) {{\n"
      "      {0}* const into = row_place({1}, row);\n"
      "      receive(context, row, into);\n"
      "{2}    }}\n"
      "{3}  }}\n{4}",
      input_type(its.graph, side), ticks.row_arena, row_text(its, "row", "      "),
      observed_call(its, ticks, "    "), ticks_ended(its));
  if (!rest(stages).empty()) {
    const std::string arguments = handed(side, rest(stages), false);
    text += fmt::format("  finish({});\n", arguments) + fault_text(side, arguments, "  ");
  }
  return text + inference_ended(its) + end;
}

std::string push_text(const Observed& its) {
  const CallerSide& side = its.side;
  const std::vector<Stage>& stages = its.stages;
  std::string parameters, kept, fields;
  for (const CallerField& field : side.fields) {
    parameters += fmt::format(", {} {}", field.type, field.name);
    kept += fmt::format("  state->{0} = {0};\n", field.name);
    fields += fmt::format("{}state->{}", fields.empty() ? "" : ", ", field.name);
  }
  const std::string& name = its.options.name;
  const char* type = input_type(its.graph, side);
  const Stage& ticks = stages.front();
  std::vector<std::string> for_begin = field_conditions(side);
  for_begin.insert(for_begin.begin(), "state != nullptr");
  return fmt::format(
             "\nvoid {0}_begin({0}_state* state{1}) {{\n{6}"
             "  state->tick = 0;\n  state->row = 0;\n{2}}}\n\n"
             "bool {0}_push_rows({5}, {0}_state* state, const {3}* rows, int32_t "
             "count) {{\n"
             "{4}  if (state->tick == kTicks) return true;\n",
             name, parameters, kept, type,
             opening(name, side, stages, fields,
                     {"state != nullptr", "rows != nullptr || count <= 0"}),
             side.arena_parameter("_bytes"), checks_text(for_begin)) +
         fmt::format(
             "  if (state->tick == 0 && state->row == 0 && count > 0) {{\n{0}  }}\n"
             "  for (; state->tick < kTicks; ++state->tick) {{\n"
             "    for (; state->row < rows_of(state->tick).end; ++state->row) {{\n"
             "      if (count-- <= 0) return false;\n"
             "      {1}* const into = row_place({2}, state->row);\n"
             "      for (int32_t k = 0; k < kRowElements; ++k) into[k] = rows[k];\n"
             "{3}"
             "      rows += kRowElements;\n"
             "    }}\n"
             "{4}{5}  }}\n{6}{7}{8}  return true;\n}}\n",
             inference_begins(its, "    ") + ticks_begin(its, "    "), type, ticks.row_arena,
             row_text(its, "state->row", "      "),
             uses({&ticks, 1}, "tick") ? "    const int32_t tick = state->tick;\n" : "",
             observed_call(its, ticks, "    "), ticks_ended(its),
             rest(stages).empty()
                 ? ""
                 : fmt::format("  finish({});\n", handed(side, rest(stages), false)),
             inference_ended(its));
}

}  // namespace

std::string caller_struct(const CallerSide& side) {
  if (side.fields.empty()) return "";
  std::string text = "// What the caller brings besides the arena.\nstruct Caller {\n";
  for (const CallerField& field : side.fields)
    text += fmt::format("  {} {};\n", field.type, field.name);
  return text + "};\n\n";
}

std::string entry_helpers(const Observed& its) {
  const CallerSide& side = its.side;
  const std::vector<Stage>& stages = its.stages;
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
  if (!streams(stages)) return text + execute_function(its, 0);
  const Stage& ticks = *ticking(stages);
  const StreamRows rows = stream_rows(its.graph, *side.received);
  const char* type = input_type(its.graph, side);
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
  const std::span<const Stage> after = rest(stages);
  if (after.empty()) return text;
  const size_t first = stages.size() - after.size();
  return text + execute_function(its, first) +
         fmt::format(
             "// What follows when all rows have come.\nvoid finish({}) noexcept {{\n{}}}\n\n",
             handed(side, after, true), observed_stages(its, first, "", "", OnFault::kGoOn));
}

std::string entry_points(const Observed& its) {
  std::string text = run_text(its);
  if (streams(its.stages) && its.side.storages.empty()) text += push_text(its);
  return text + hook_definitions(its);
}

}  // namespace thimble
