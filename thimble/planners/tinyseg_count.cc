// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/tinyseg_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/planners/tinyseg_spills.h"

namespace thimble::tinyseg {
namespace {

[[noreturn]] void reject(const std::string& message) {
  throw CompileError("TinySeg's steps", message);
}

void set(CountedSteps& steps, const std::string& step) {
  constexpr std::string_view kTarget = "target=";
  if (step == "scratch16") {
    steps.scratch16 = true;
  } else if (step == "spill") {
    steps.spill = true;
  } else if (step == "concat") {
    steps.concat = true;
  } else if (step == "conv") {
    steps.conv = true;
  } else if (step.starts_with(kTarget)) {
    const std::string bytes = step.substr(kTarget.size());
    if (bytes.empty() || bytes.size() > 15 ||
        bytes.find_first_not_of("0123456789") != std::string::npos) {
      reject(fmt::format("'{}' is no number of bytes", step));
    }
    steps.target_bytes = std::stoll(bytes);
  } else {
    reject(fmt::format("there is no '{}'; there are scratch16, spill, concat, conv, target=BYTES",
                       step));
  }
}

}  // namespace

CountedSteps counted_steps(const std::string& text) {
  CountedSteps steps;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    set(steps, text.substr(begin, end - begin));
    begin = end + 1;
  }
  if ((steps.concat && !steps.spill) || (steps.conv && !steps.concat) ||
      (steps.target_bytes > 0 && !steps.spill)) {
    reject(fmt::format("'{}': conv needs concat, and concat and target need spill", text));
  }
  return steps;
}

Count count(const Graph& graph, const CountedSteps& steps) {
  const int64_t original = arena_of(list_of(graph, 32)).bytes;
  OperatorList list = list_of(graph, steps.scratch16 ? 16 : 32);
  if (!steps.spill) return {.original_bytes = original, .arena_bytes = arena_of(list).bytes};
  const SpilledList spilled = spill(
      std::move(list),
      {.target_bytes = steps.target_bytes, .fuse_concat = steps.concat, .fuse_conv = steps.conv});
  return {.original_bytes = original,
          .arena_bytes = spilled.arena_bytes,
          .spilled_bytes = spilled.written_bytes()};
}

}  // namespace thimble::tinyseg
