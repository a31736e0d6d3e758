// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/survey_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/layout/layout.h"
#include "thimble/report/json_text.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNumbersShown = 12;
constexpr size_t kMostEnds = 4;  // of a part of the network that could be compiled

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t extent : shape) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : "x",
                   extent < 0 ? "?" : std::to_string(extent));
  }
  return text.empty() ? "scalar" : text;
}

std::string described(const Survey& survey, int tensor) {
  if (tensor < 0) return "-";
  const SurveyedTensor& t = survey.tensors[static_cast<size_t>(tensor)];
  return fmt::format("{} {}", t.type, t.unknown_rank ? "of unknown rank" : shape_text(t.shape));
}

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (size_t k = 0; k < std::min(numbers.size(), kNumbersShown); ++k)
    fmt::format_to(std::back_inserter(text), "{}#{}", k == 0 ? "" : ", ", numbers[k]);
  if (numbers.size() > kNumbersShown)
    fmt::format_to(std::back_inserter(text), " and {} more", numbers.size() - kNumbersShown);
  return text;
}

/// As --until takes it in a shell: a name that no other tensor has, else the number.
std::string named_for_shell(const Survey& survey, int tensor) {
  const std::string& name = survey.tensors[static_cast<size_t>(tensor)].name;
  const bool plain = !name.empty() && name.find_first_of("'?") == std::string::npos &&
                     std::ranges::count(survey.tensors, name, &SurveyedTensor::name) == 1;
  return plain ? fmt::format("'{}'", name) : std::to_string(tensor);
}

int64_t constant_bytes(const Survey& survey) {
  int64_t sum = 0;
  for (const SurveyedTensor& t : survey.tensors) sum += t.constant ? t.size_bytes.value_or(0) : 0;
  return sum;
}

}  // namespace

std::string until_options(const Survey& survey) {
  if (survey.until.empty() || survey.until.size() > kMostEnds || survey.subgraphs > 1) return "";
  std::string text;
  for (const int t : survey.until) text += " --until " + named_for_shell(survey, t);
  return text;
}

SurveyedSram sram(const Survey& survey) {
  const auto end = std::ssize(survey.ops);
  std::vector<layout::Life> lives(survey.tensors.size(), {end, -1});
  const auto touch = [&](int tensor, int64_t begin, int64_t until) {
    if (tensor < 0) return;
    layout::Life& life = lives[static_cast<size_t>(tensor)];
    life = {std::min(life.begin, begin), std::max(life.end, until)};
  };
  for (const int t : survey.inputs) touch(t, 0, 1);
  for (int64_t k = 0; k < end; ++k) {
    for (const int t : survey.ops[static_cast<size_t>(k)].inputs) touch(t, k, k + 1);
    for (const int t : survey.ops[static_cast<size_t>(k)].outputs) touch(t, k, k + 1);
  }
  for (const int t : survey.outputs) touch(t, end - 1, end);
  SurveyedSram result;
  layout::Problem problem;
  for (size_t t = 0; t < lives.size(); ++t) {
    const SurveyedTensor& tensor = survey.tensors[t];
    if (tensor.constant || lives[t].end < 0) continue;
    if (tensor.variable) {
      lives[t] = {0, end};
      result.state_bytes += tensor.size_bytes.value_or(0);
    }
    result.unknown += tensor.size_bytes ? 0 : 1;
    problem.buffers.push_back({.size_bytes = tensor.size_bytes.value_or(0),
                               .alignment = 16,  // as the interpreter has them
                               .lives = {lives[t]},
                               .address = std::nullopt});
  }
  result.interpreter_bytes = layout::greedy_by_size(problem).arena_bytes;
  for (layout::Buffer& buffer : problem.buffers) buffer.alignment = 1;
  result.peak_bytes = layout::lower_bound_bytes(problem);
  return result;
}

std::string survey_text(const Survey& survey) {
  std::string text = fmt::format(
      "{}: {} operators, {} tensors, constants {}; cannot be compiled as it is\n", survey.model,
      survey.ops.size(), survey.tensors.size(), human_size(constant_bytes(survey)));
  for (const int t : survey.inputs) {
    if (t < 0) continue;  // no tensor
    text += fmt::format("  input   '{}' {}\n",
                        display_name(survey.tensors[static_cast<size_t>(t)].name),
                        described(survey, t));
  }
  for (const int t : survey.outputs) {
    if (t < 0) continue;  // no tensor
    text += fmt::format("  output  '{}' {}\n",
                        display_name(survey.tensors[static_cast<size_t>(t)].name),
                        described(survey, t));
  }
  const SurveyedSram bytes = sram(survey);
  if (bytes.peak_bytes > 0 || bytes.unknown == 0)
    text += fmt::format(
        "  SRAM    {} live at the peak in the file's order; {} as the interpreter lays them out\n",
        human_size(bytes.peak_bytes), human_size(bytes.interpreter_bytes));
  if (bytes.state_bytes > 0)
    text += fmt::format("          of which {} keep their values between inferences\n",
                        human_size(bytes.state_bytes));
  if (bytes.unknown > 0)
    text += fmt::format("  {:<7} without {} tensors whose size is open, too large or not defined\n",
                        bytes.peak_bytes > 0 ? "" : "SRAM", bytes.unknown);
  text += "\nWhat stops it:\n";
  for (const Obstacle& obstacle : survey.obstacles) {
    const bool tensors = obstacle.ops.empty() && !obstacle.tensors.empty();
    const std::vector<int>& numbers = tensors ? obstacle.tensors : obstacle.ops;
    const std::string count =
        numbers.empty() ? "the file"
                        : fmt::format("{} {}{}", numbers.size(), tensors ? "tensor" : "operator",
                                      numbers.size() == 1 ? "" : "s");
    text += fmt::format("  {:<14} {}\n", count, obstacle.reason);
    if (!numbers.empty()) text += fmt::format("  {:<14} {}\n", "", listed(numbers));
    if (!obstacle.help.empty()) text += fmt::format("  {:<14} what helps: {}\n", "", obstacle.help);
  }
  if (const std::string part = until_options(survey); !part.empty()) {
    text += fmt::format("\nWhat can be compiled: {} of {} operators, with{}\n", survey.free_ops,
                        survey.ops.size(), part);
  }
  text += fmt::format("\n{:>4} {:<28} {:<40} {}\n", "#", "operator", "reads", "makes");
  for (size_t k = 0; k < survey.ops.size(); ++k) {
    const SurveyedOp& op = survey.ops[k];
    const auto all = [&](const std::vector<int>& tensors) {
      std::string list;
      for (const int t : tensors) {
        if (t < 0 || (&tensors == &op.inputs && survey.tensors[static_cast<size_t>(t)].constant))
          continue;
        fmt::format_to(std::back_inserter(list), "{}{}", list.empty() ? "" : ", ",
                       described(survey, t));
      }
      return list;
    };
    const auto stops = [&](const Obstacle& o) {
      return std::ranges::binary_search(o.ops, static_cast<int>(k));
    };
    text += fmt::format("{:>4} {:<28} {:<40} {}{}\n", k, op.name, all(op.inputs), all(op.outputs),
                        std::ranges::any_of(survey.obstacles, stops) ? "  <- not supported" : "");
  }
  return text;
}

std::string survey_json(const Survey& survey) {
  const SurveyedSram bytes = sram(survey);
  Json obstacles = Json::array(), ops = Json::array(), tensors = Json::array();
  for (const Obstacle& obstacle : survey.obstacles)
    obstacles.push_back({{"reason", obstacle.reason},
                         {"help", obstacle.help},
                         {"operators", obstacle.ops},
                         {"tensors", obstacle.tensors}});
  for (size_t k = 0; k < survey.ops.size(); ++k) {
    const SurveyedOp& op = survey.ops[k];
    ops.push_back(
        {{"number", k}, {"operator", op.name}, {"inputs", op.inputs}, {"outputs", op.outputs}});
  }
  for (size_t t = 0; t < survey.tensors.size(); ++t) {
    const SurveyedTensor& tensor = survey.tensors[t];
    tensors.push_back({{"id", t},
                       {"name", tensor.name},
                       {"shape", tensor.shape},
                       {"type", tensor.type},
                       {"bytes", tensor.size_bytes ? Json(*tensor.size_bytes) : Json()},
                       {"constant", tensor.constant},
                       {"variable", tensor.variable}});
  }
  return json_text("survey", {{"model", survey.model},
                              {"subgraphs", survey.subgraphs},
                              {"peak_bytes", bytes.peak_bytes},
                              {"interpreter_bytes", bytes.interpreter_bytes},
                              {"state_bytes", bytes.state_bytes},
                              {"constant_bytes", constant_bytes(survey)},
                              {"obstacles", obstacles},
                              {"operators", ops},
                              {"tensors", tensors},
                              {"free_operators", survey.free_ops},
                              {"until", survey.until}});
}

}  // namespace thimble
