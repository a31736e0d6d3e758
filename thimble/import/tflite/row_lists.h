// SPDX-License-Identifier: Apache-2.0
// Tensors as lists of the rows of others, along axis 0.
#pragma once

#include <cstdint>
#include <vector>

namespace thimble {

/// Rows [begin, begin + count) of a tensor.
struct RowsOf {
  int32_t tensor = 0;
  int64_t begin = 0, count = 0;
};
using RowList = std::vector<RowsOf>;

[[nodiscard]] int64_t row_count(const RowList& list);
/// Rows [begin, begin + count) of a list that has them.
[[nodiscard]] RowList rows_between(const RowList& list, int64_t begin, int64_t count);
void append(RowList& list, const RowList& more);

}  // namespace thimble
