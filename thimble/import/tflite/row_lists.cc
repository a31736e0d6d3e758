// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/row_lists.h"

#include <algorithm>

namespace thimble {

int64_t row_count(const RowList& list) {
  int64_t count = 0;
  for (const RowsOf& rows : list) count += rows.count;
  return count;
}

RowList rows_between(const RowList& list, int64_t begin, int64_t count) {
  RowList result;
  for (const RowsOf& rows : list) {
    const int64_t from = std::clamp<int64_t>(begin, 0, rows.count);
    const int64_t to = std::clamp<int64_t>(begin + count, 0, rows.count);
    if (to > from) append(result, {{rows.tensor, rows.begin + from, to - from}});
    begin -= rows.count;
  }
  return result;
}

void append(RowList& list, const RowList& more) {
  for (const RowsOf& rows : more) {
    const bool follows = !list.empty() && list.back().tensor == rows.tensor &&
                         list.back().begin + list.back().count == rows.begin;
    if (follows)
      list.back().count += rows.count;
    else
      list.push_back(rows);
  }
}

}  // namespace thimble
