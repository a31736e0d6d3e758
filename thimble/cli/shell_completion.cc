// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/shell_completion.h"

#include <algorithm>

namespace thimble {

std::string short_help(const std::string& help) {
  const size_t end = std::min({help.find("; "), help.find(" ("), help.find('\n'), help.find(": ")});
  return help.substr(0, end);
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

const std::vector<NameList>& name_lists() {
  static const std::vector<NameList> lists = {
      {Completion::kModel, "models"},     {Completion::kNetwork, "networks"},
      {Completion::kDevice, "devices"},   {Completion::kCore, "cores"},
      {Completion::kPlanner, "planners"}, {Completion::kPaper, "papers"},
  };
  return lists;
}

std::string list_of(Completion completion) {
  for (const auto& [kind, name] : name_lists()) {
    if (kind == completion) return std::string("_thimble_") + name;
  }
  return "";
}

}  // namespace thimble
