// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "thimble/model/error.h"

namespace thimble {
namespace {

double ratio_option(const PlannerOptions& given, const std::string& key, double default_ratio) {
  const auto it = given.find(key);
  if (it == given.end()) return default_ratio;
  double value = 0;
  const char* end = it->second.data() + it->second.size();
  const auto [stop, error] = std::from_chars(it->second.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= 1))
    throw CompileError("--planner",
                       fmt::format("{}={} is not a ratio of at least 1, or inf", key, it->second));
  return value;
}

/// One of several words.
size_t word_option(const PlannerOptions& given, const std::string& key,
                   const std::vector<std::string>& words) {
  const auto it = given.find(key);
  if (it == given.end()) return 0;
  const auto word = std::ranges::find(words, it->second);
  if (word == words.end())
    throw CompileError("--planner",
                       fmt::format("{}={} is none of {}", key, it->second, fmt::join(words, ", ")));
  return static_cast<size_t>(word - words.begin());
}

}  // namespace

MotesOptions motes_options(const PlannerOptions& given) {
  MotesOptions result;
  result.max_latency = ratio_option(given, "max_latency", result.max_latency);
  result.beam = number_option(given, "beam", 1).value_or(result.beam);
  result.most_parts = number_option(given, "parts", 2).value_or(result.most_parts);
  result.reach = number_option(given, "reach", 1).value_or(result.reach);
  result.schemes = number_option(given, "schemes", 1).value_or(result.schemes);
  result.most_steps = number_option(given, "steps", 0);
  result.paper_accounting = wants_paper_accounting(given);
  result.order = static_cast<MotesOptions::Orders>(
      word_option(given, "order", {"narrow", "least", "post_order"}));
  const std::vector<std::vector<Windows>> windows = {
      {Windows::kBlocks, Windows::kRings}, {Windows::kBlocks}, {Windows::kRings}};
  result.windows = windows[word_option(given, "windows", {"any", "blocks", "rings"})];
  return result;
}

}  // namespace thimble
