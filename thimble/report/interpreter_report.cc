// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/interpreter_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string arena_line(const char* what, const InterpreterArena& arena) {
  return fmt::format("  {:<20}{:>13}{:>14}{:>13}{:>12}\n", what,
                     with_separators(arena.greedy_bytes),
                     arena.offline_bytes ? with_separators(*arena.offline_bytes) : "",
                     with_separators(arena.structures_bytes), with_separators(arena.bytes()));
}

const char* axis_name(int axis) { return axis == 1 ? "rows" : axis == 2 ? "columns" : "channels"; }

double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

nlohmann::ordered_json arena_json(const InterpreterArena& arena) {
  return {{"greedy_bytes", arena.greedy_bytes},
          {"offline_bytes", arena.offline_bytes ? Json(*arena.offline_bytes) : Json(nullptr)},
          {"structures_bytes", arena.structures_bytes}};
}

std::string interpreter_text(const InterpreterReport& report) {
  const InterpreterFile& file = report.file;
  std::string text = fmt::format("{}: {}, {} operators, {} MACs\n", report.path,
                                 human_size(static_cast<int64_t>(file.bytes.size())),
                                 file.operators, with_separators(file.macs + file.more_macs));
  text += fmt::format("  {:<20}{:>13}{:>14}{:>13}{:>12}\n", "arena in bytes", "its planner",
                      "offline plan", "structures", "together");
  if (report.given) text += arena_line("as given", *report.given);
  text += arena_line("rewritten", file.as_rewritten);
  text += arena_line("reordered, laid out", file.as_reordered);
  text += arena_line("split", file.as_split);
  for (const SplitWords& split : file.splits) {
    text += fmt::format("  {} operators from {} to {} in {} parts by {}\n", split.operators,
                        split.first, split.last, split.parts, axis_name(split.axis));
  }
  if (file.more_macs > 0)
    text += fmt::format("  {} MACs are computed again, {:.1f} %\n", with_separators(file.more_macs),
                        percent(file.more_macs, file.macs));
  text += fmt::format("  operators  {}\n", fmt::join(file.kinds, ", "));
  text += fmt::format("  outputs    identical to the model's in {} inferences of the reference\n",
                      file.inferences);
  text +=
      "Computed: tensors and the plain kernels' scratch as the interpreter places them, and its "
      "own\n"
      "structures, estimated. Faster kernels may ask for more scratch.\n";
  return text;
}

std::string interpreter_json(const InterpreterReport& report) {
  const InterpreterFile& file = report.file;
  Json splits = Json::array();
  for (const SplitWords& split : file.splits) {
    splits.push_back({{"axis", axis_name(split.axis)},
                      {"first", split.first},
                      {"last", split.last},
                      {"operators", split.operators},
                      {"parts", split.parts}});
  }
  return json_text("export",
                   {{"model", report.model},
                    {"file", report.path},
                    {"arena_bytes", file.final.bytes()},
                    {"as_given", report.given ? arena_json(*report.given) : Json(nullptr)},
                    {"as_reordered", arena_json(file.as_reordered)},
                    {"as_rewritten", arena_json(file.as_rewritten)},
                    {"as_split", arena_json(file.as_split)},
                    {"file_bytes", file.bytes.size()},
                    {"identical_inferences", file.inferences},
                    {"macs", file.macs},
                    {"macs_again", file.more_macs},
                    {"offline_plan", file.has_plan},
                    {"operator_kinds", file.kinds},
                    {"operators", file.operators},
                    {"splits", std::move(splits)}});
}

}  // namespace thimble
