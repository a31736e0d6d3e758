// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/free_part.h"

#include <algorithm>
#include <functional>

namespace thimble {

void find_free_part(const std::vector<size_t>& ops, const std::vector<bool>& is_free,
                    Survey& survey) {
  std::vector<bool> missing(survey.tensors.size()), made(missing.size()), wanted(missing.size());
  const auto any = [](const std::vector<int>& tensors, const std::vector<bool>& of) {
    return std::ranges::any_of(tensors,
                               [&](int t) { return t >= 0 && of[static_cast<size_t>(t)]; });
  };
  const auto set = [](const std::vector<int>& tensors, std::vector<bool>& in) {
    for (const int t : tensors) {
      if (t >= 0) in[static_cast<size_t>(t)] = true;
    }
  };
  for (const size_t i : ops) {
    const SurveyedOp& op = survey.ops[i];
    const bool computed = is_free[i] && !any(op.inputs, missing);
    set(op.outputs, computed ? made : missing);
    if (!computed) set(op.inputs, wanted);
    survey.free_ops += computed ? 1 : 0;
  }
  set(survey.outputs, wanted);
  for (size_t t = 0; t < made.size(); ++t) {
    if (made[t] && wanted[t]) survey.until.push_back(static_cast<int>(t));
  }
}

void sort_by_frequency(std::vector<Obstacle>& obstacles) {
  std::ranges::stable_sort(obstacles, std::ranges::greater{}, [](const Obstacle& o) {
    return std::max(o.ops.size(), o.tensors.size());
  });
}

}  // namespace thimble
