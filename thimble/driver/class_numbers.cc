// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/class_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

/// "3", "3.0"; nothing: it is no class' number.
std::optional<size_t> number_of(std::string label, size_t classes) {
  if (label.ends_with(".0")) label.resize(label.size() - 2);
  size_t number = 0;
  const char* const end = label.data() + label.size();
  const auto [read, error] = std::from_chars(label.data(), end, number);
  if (error != std::errc() || read != end || number >= classes) return std::nullopt;
  return number;
}

std::string some_of(const std::vector<std::string>& labels) {
  constexpr size_t kShown = 10;
  std::vector<std::string> shown;
  for (size_t k = 0; k < std::min(labels.size(), kShown); ++k)
    shown.push_back(printable(labels[k]));
  return fmt::format("{}{}", fmt::join(shown, ", "), labels.size() > kShown ? ", ..." : "");
}

}  // namespace

ClassNumbers class_numbers(const std::vector<std::string>& labels,
                           const std::vector<std::string>& names, size_t classes,
                           const std::string& set) {
  ClassNumbers result{.names = names, .numbers = {}, .by = "names"};
  const bool all_numbers = std::ranges::all_of(
      labels, [&](const std::string& label) { return number_of(label, classes).has_value(); });
  if (names.empty() && !all_numbers) {
    if (labels.size() != classes) {
      throw CompileError(set, fmt::format("has {} labels ({}), the network scores {} classes: "
                                          "--labels FILE says which is which, a name on each line",
                                          labels.size(), some_of(labels), classes));
    }
    result.names = labels;
    result.by = fmt::format("in alphabetical order: {}", some_of(labels));
    for (size_t k = 0; k < classes; ++k) result.numbers[labels[k]] = k;
    return result;
  }
  if (names.empty()) {
    result.by = "by number";
    for (size_t k = 0; k < classes; ++k) result.names.push_back(std::to_string(k));
  }
  for (const std::string& label : labels) {
    const auto named = std::ranges::find(names, label);
    const std::optional<size_t> number =
        named != names.end() ? std::optional(static_cast<size_t>(named - names.begin()))
                             : number_of(label, classes);
    if (!number) {
      throw CompileError(set, fmt::format("'{}' is none of the network's classes ({})",
                                          printable(label), some_of(names)));
    }
    result.numbers[label] = *number;
  }
  return result;
}

}  // namespace thimble
