// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/byte_limits.h"

#include <fmt/format.h>

#include "thimble/model/error.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

void check_sum(int64_t bytes, int64_t max_bytes, const std::string& where, const char* what) {
  if (bytes <= max_bytes) return;
  throw CompileError(where,
                     fmt::format("{} have more than {} between them; --max-bytes SIZE allows more, "
                                 "and takes memory and time in proportion",
                                 what, human_size(max_bytes)));
}

}  // namespace

void check_bytes(const Graph& graph, int64_t max_bytes) {
  int64_t bytes = 0;
  for (const Tensor& t : graph.tensors) {
    if (t.is_constant()) continue;
    bytes += t.size_bytes();
    check_sum(bytes, max_bytes, graph.name, "its activations");  // each time: no sum overflows
  }
}

void check_bytes(const Schedule& schedule, int64_t max_bytes, const std::string& where) {
  int64_t bytes = 0;
  for (const Buffer& buffer : schedule.buffers) {
    bytes += buffer.size_bytes();
    check_sum(bytes, max_bytes, where, "the buffers of this plan");
  }
}

}  // namespace thimble
