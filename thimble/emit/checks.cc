// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/checks.h"

#include <fmt/format.h>

namespace thimble {

std::string check_definition() {
  return "#if defined(THIMBLE_CHECKS) && !defined(THIMBLE_ASSERT)\n"
         "#define THIMBLE_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())\n"
         "#endif\n\n";
}

std::string checks_text(const std::vector<std::string>& conditions) {
  if (conditions.empty()) return "";
  std::string text = "#ifdef THIMBLE_CHECKS\n";
  for (const std::string& condition : conditions)
    text += fmt::format("  THIMBLE_ASSERT({});\n", condition);
  return text + "#endif\n";
}

std::vector<std::string> arena_conditions(const CallerSide& side,
                                          const std::vector<std::string>& used,
                                          const std::string& name) {
  const bool several = !side.memories_type.empty();
  std::vector<std::string> conditions;
  if (several && !used.empty()) conditions.emplace_back("memories != nullptr");
  for (const std::string& arena : used) {
    const std::string pointer = several ? "memories->" + arena : arena + "_bytes";
    conditions.push_back(pointer + " != nullptr");
    conditions.push_back(fmt::format("reinterpret_cast<uintptr_t>({}) % {}_{}_alignment == 0",
                                     pointer, name, arena));
  }
  return conditions;
}

std::vector<std::string> field_conditions(const CallerSide& side) {
  std::vector<std::string> conditions;
  for (const CallerField& field : side.fields) {
    if (field.name != "context") conditions.push_back(field.name + " != nullptr");
  }
  return conditions;
}

}  // namespace thimble
