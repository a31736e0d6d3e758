// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/unsupported.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/file_op.h"

namespace thimble {

void UnsupportedOps::add(const std::string& name, size_t number) {
  auto known =
      std::ranges::find(by_name_, name, &std::pair<std::string, std::vector<size_t>>::first);
  if (known == by_name_.end()) known = by_name_.insert(known, {name, {}});
  known->second.push_back(number);
  ++count_;
}

void UnsupportedOps::refuse(const std::string& where, size_t all, Help help) const {
  std::string message = "is not supported";
  if (count_ > 1) message += fmt::format(", as {} of {} operators: {}", count_, all, listed());
  message += help == Help::kNone ? "; docs/supported_ops.md lists those that are"
                                 : fmt::format("; {}", sentence(help));
  throw Refusal(place_of(where, first(), by_name_.front().second.front()), message, help);
}

/// "CONV_3D #3, #7 and 2 more, WHERE #4"
std::string UnsupportedOps::listed() const {
  constexpr size_t kMostNames = 8, kMostNumbers = 3;
  std::string text;
  for (size_t k = 0; k < std::min(by_name_.size(), kMostNames); ++k) {
    const auto& [name, numbers] = by_name_[k];
    text += (k == 0 ? "" : ", ") + name;
    for (size_t n = 0; n < std::min(numbers.size(), kMostNumbers); ++n)
      text += fmt::format("{}#{}", n == 0 ? " " : ", ", numbers[n]);
    if (numbers.size() > kMostNumbers)
      text += fmt::format(" and {} more", numbers.size() - kMostNumbers);
  }
  if (by_name_.size() > kMostNames)
    text += fmt::format(", and {} more kinds", by_name_.size() - kMostNames);
  return text;
}

}  // namespace thimble
