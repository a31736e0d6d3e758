// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/field_rows.h"

#include <algorithm>
#include <array>

#include "thimble/model/error.h"

namespace thimble {

Texts size_texts(std::optional<int64_t> bytes) {
  if (!bytes) return {};
  constexpr std::array<std::pair<int, char>, 3> kUnits = {{{30, 'G'}, {20, 'M'}, {10, 'K'}}};
  for (const auto& [shift, unit] : kUnits) {
    const int64_t one = int64_t{1} << shift;
    if (*bytes > 0 && *bytes % one == 0) return {fmt::format("{}{}", *bytes / one, unit)};
  }
  return {std::to_string(*bytes)};
}

std::span<const RequestField> request_fields() {
  static const std::vector<RequestField> fields = [] {
    std::vector<RequestField> all = network_fields();
    for (auto* more : {plan_fields, code_fields}) {
      for (RequestField& field : more()) all.push_back(std::move(field));
    }
    return all;
  }();
  return fields;
}

const RequestField& request_field(std::string_view name) {
  const auto fields = request_fields();
  const auto found = std::ranges::find(fields, name, &RequestField::name);
  check(found != fields.end(), "a field of a request that the table has not got");
  return *found;
}

}  // namespace thimble
