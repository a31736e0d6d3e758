// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace thimble::onnx {

std::vector<int64_t> per_axis(const Node& node, const char* name, size_t count, int64_t least) {
  std::vector<int64_t> values = node.wholes(name, std::vector<int64_t>(count, 1));
  if (values.size() != count ||
      std::ranges::any_of(values, [&](int64_t v) { return v < least || v > INT32_MAX; }))
    node.damaged(fmt::format("its {} are no {} numbers from {} on", name, count, least));
  return values;
}

std::vector<Span> spans_of(const Node& node, const Shape& x, const std::vector<int64_t>& kernel) {
  const size_t count = kernel.size();
  const std::vector<int64_t> strides = per_axis(node, "strides", count, 1),
                             dilations = per_axis(node, "dilations", count, 1);
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const std::vector<int64_t> pads = node.wholes("pads", std::vector<int64_t>(2 * count, 0));
  if (pads.size() != 2 * count) node.damaged("its pads are of other axes");
  const bool ceil = node.whole("ceil_mode", 0) != 0;
  std::vector<Span> spans;
  for (size_t k = 0; k < count; ++k) {
    Span span{.kernel = kernel[k], .stride = strides[k], .dilation = dilations[k]};
    const int64_t in = x[k + 2], reach = (span.kernel - 1) * span.dilation + 1;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      span.extent = (in + span.stride - 1) / span.stride;
      const int64_t all = std::max<int64_t>((span.extent - 1) * span.stride + reach - in, 0);
      span.before = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
      span.behind = all - span.before;
    } else {
      if (automatic != "NOTSET" && automatic != "VALID" && !automatic.empty())
        node.damaged(fmt::format("auto_pad is '{}'", automatic));
      const bool none = automatic == "VALID";
      span.before = none ? 0 : pads[k];
      span.behind = none ? 0 : pads[k + count];
      const int64_t room = in + span.before + span.behind - reach;
      if (room < 0) node.damaged(fmt::format("its window of {} is larger than {}", reach, in));
      span.extent = room / span.stride + 1;
      if (ceil && room % span.stride != 0 && span.extent * span.stride < in + span.before) {
        ++span.extent;
        span.cut = true;
        span.behind = (span.extent - 1) * span.stride + reach - in - span.before;
      }
    }
    if (std::abs(span.before) > INT32_MAX / 4 || std::abs(span.behind) > INT32_MAX / 4)
      node.damaged("its pads are too large");
    spans.push_back(span);
  }
  return spans;
}

Window window_of(const std::vector<Span>& spans) {
  const Span row = spans.size() == 2 ? spans[0] : Span{};
  const Span& column = spans.back();
  return {
      .kernel_h = row.kernel,
      .kernel_w = column.kernel,
      .stride_h = row.stride,
      .stride_w = column.stride,
      .dilation_h = row.dilation,
      .dilation_w = column.dilation,
      .padding = {
          .top = row.before, .bottom = row.behind, .left = column.before, .right = column.behind}};
}

int32_t bits_of_lowest() { return std::bit_cast<int32_t>(std::numeric_limits<float>::lowest()); }

}  // namespace thimble::onnx
