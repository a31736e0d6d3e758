// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/step_places.h"

#include "thimble/emit/stages.h"
#include "thimble/emit/working_program.h"

namespace thimble {

std::vector<StepPlace> step_places(const Graph& graph, const Program& program) {
  const Program working = working_program(program);
  ViewConstants constants(graph, working);
  std::vector<StepPlace> places;
  for (const Stage& stage : stages(graph, working, "data", constants)) {
    for (const Position step : stage.steps) {
      const auto position = static_cast<size_t>(step);
      if (position >= places.size()) places.resize(position + 1);
      places[position] = stage.row >= 0 ? StepPlace{"run_steps", stage.row} : StepPlace{stage.name};
    }
  }
  return places;
}

}  // namespace thimble
