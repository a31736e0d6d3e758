// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/stage_functions.h"

#include "thimble/emit/stages.h"

namespace thimble {

std::vector<std::string> stage_functions(const Graph& graph, const Program& program) {
  ViewConstants constants(graph, program);
  const std::string data = "data";
  std::vector<std::string> names;
  for (const Stage& stage : stages(graph, program, data, constants)) names.push_back(stage.name);
  return names;
}

}  // namespace thimble
