// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/stage_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/emit/checks.h"
#include "thimble/emit/names.h"

namespace thimble {

bool uses(std::span<const Stage> stages, const std::string& what) {
  return std::ranges::any_of(stages, [&](const Stage& s) { return mentions(s.call, what); });
}

// "arena, caller" as the stages of `stages` need them, with the types before them or without.
std::string handed(const CallerSide& side, std::span<const Stage> stages, bool types) {
  std::string text;
  const auto add = [&](const char* type, const std::string& name) {
    if (uses(stages, name)) text += (text.empty() ? "" : ", ") + (types ? type + name : name);
  };
  for (const std::string& arena : side.arenas) add("int8_t* ", arena);
  for (const std::string& storage : side.storages) add("Transfers& ", storage + "_transfers");
  add("const Caller& ", "caller");
  return text;
}

// Lines that call stages; rows of the table that follow one another in one.
std::string call_lines(const CallerSide& side, std::span<const Stage> stages, OnFault on_fault) {
  std::string text;
  for (size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].row < 0) {
      text += fmt::format("  {};\n", stages[s].call);
      if (on_fault == OnFault::kLeave) text += fault_text(side, stages[s].call, "  ");
      continue;
    }
    const size_t begin = s;
    while (s + 1 < stages.size() && stages[s + 1].row >= 0) ++s;
    text +=
        fmt::format("  run_steps(arena, {}, {});  // {}{}\n", stages[begin].row, stages[s].row + 1,
                    stages[begin].name, s == begin ? "" : " to " + stages[s].name);
  }
  return text;
}

std::string opening(const std::string& name, const CallerSide& side, std::span<const Stage> stages,
                    const std::string& fields, std::vector<std::string> conditions) {
  const bool several = !side.memories_type.empty();
  std::vector<std::string> used;
  std::string text;
  for (const std::string& arena : side.arenas) {
    const bool row = std::ranges::find(stages, arena, &Stage::row_arena) != stages.end();
    if (!row && !uses(stages, arena)) continue;
    used.push_back(arena);
    text += fmt::format("  int8_t* const {} = static_cast<int8_t*>({});\n", arena,
                        several ? "memories->" + arena : arena + "_bytes");
  }
  const std::vector<std::string> of_arenas = arena_conditions(side, used, name);
  conditions.insert(conditions.begin(), of_arenas.begin(), of_arenas.end());
  if (text.empty())
    text = fmt::format("  (void){};  // nothing lies there\n",
                       several ? "memories" : side.arenas[0] + "_bytes");
  if (!side.fields.empty() && uses(stages, "caller"))
    text += fmt::format("  const Caller caller{{{}}};\n", fields);
  return checks_text(conditions) + text;
}

std::string unused_fields(const CallerSide& side, std::span<const Stage> stages) {
  std::string text;
  if (uses(stages, "caller")) return text;
  for (const CallerField& field : side.fields)
    text += fmt::format("  (void){};  // no operator reads or writes it\n", field.name);
  return text;
}

// Behind a call that may have found a fault: leaves with it.
std::string fault_text(const CallerSide& side, const std::string& call, const std::string& indent) {
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

}  // namespace thimble
