// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/mixed_formats.h"

#include <algorithm>
#include <set>

#include "thimble/model/division.h"

namespace thimble {
namespace {

/// A layer that may have weights of 4 bits.
struct Narrowing {
  OpId op;
  int64_t saved_bytes = 0;
  double noise = 0;  ///< beyond that of the given formats
};

bool has_narrow_form(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

/// Those that save most for their noise first.
std::vector<Narrowing> narrowings(const Graph& real, const FormatPoint& given,
                                  const std::vector<bool>& free, const PointMaker& make) {
  const double least = make(given.formats, true).noise.relative;
  std::vector<Narrowing> all;
  for (const MadeLayer& layer : given.made.layers) {
    const Op& op = real.op(layer.original);
    if (layer.format != Format::kInt8 || !has_narrow_form(op) || !free[layer.original.index()])
      continue;
    Formats formats = given.formats;
    formats[layer.original.index()] = Format::kInt4;
    all.push_back({layer.original, elements(real.tensor(op.inputs[1]).shape) / 2,
                   std::max(make(formats, true).noise.relative - least, 0.0)});
  }
  std::ranges::stable_sort(all, {}, [](const Narrowing& n) {
    return n.noise / static_cast<double>(std::max<int64_t>(n.saved_bytes, 1));
  });
  return all;
}

/// Which of n + 1 sets, 0 the empty one, are made: spread over them, and `wanted`.
std::set<size_t> spread(size_t n, std::optional<size_t> wanted) {
  std::set<size_t> which;
  const size_t points = std::min(n, kMostPoints - 1);
  for (size_t k = 1; k <= points; ++k) which.insert(k * n / points);
  if (wanted && *wanted > 0) which.insert(*wanted);
  return which;
}

}  // namespace

int64_t constant_bytes(const Quantised& made) {
  int64_t bytes = 0;
  for (const Tensor& tensor : made.graph.tensors)
    if (tensor.is_constant()) bytes += tensor.size_bytes();
  for (const MadeLayer& layer : made.layers) {
    if (layer.format != Format::kInt4) continue;
    const Tensor& weights = made.graph.tensor(made.graph.op(layer.made).inputs[1]);
    bytes -= weights.size_bytes() - ceil_div(weights.size_bytes(), int64_t{2});
  }
  return bytes;
}

std::vector<FormatPoint> narrower_points(const Graph& real, FormatPoint given,
                                         const std::vector<bool>& free,
                                         std::optional<int64_t> weight_bytes,
                                         const PointMaker& make) {
  const std::vector<Narrowing> all = narrowings(real, given, free, make);
  std::optional<size_t> wanted;
  int64_t bytes = given.weight_bytes;
  for (size_t k = 0; k <= all.size() && weight_bytes && !wanted; ++k) {
    if (bytes <= *weight_bytes) wanted = k;
    if (k < all.size()) bytes -= all[k].saved_bytes;
  }
  Formats formats = given.formats;
  std::vector<FormatPoint> points = {std::move(given)};
  const std::set<size_t> which = spread(all.size(), wanted);
  for (size_t k = 1; k <= all.size(); ++k) {
    formats[all[k - 1].op.index()] = Format::kInt4;
    if (which.contains(k)) points.push_back(make(formats, false));
  }
  return points;
}

std::vector<FormatPoint> wider_points(const Formats& given, const std::vector<double>& noise,
                                      const PointMaker& make) {
  std::vector<size_t> order;
  for (size_t o = 0; o < noise.size(); ++o)
    if (noise[o] > 0) order.push_back(o);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t o) { return noise[o]; });
  Formats formats = given;
  std::vector<FormatPoint> points;
  for (size_t k = 0; k < order.size(); ++k) {
    formats[order[k]] = Format::kInt16;
    const size_t made = k + 1;
    const bool power = (made & (made - 1)) == 0;
    if (made == order.size()) formats.assign(given.size(), Format::kInt16);
    if (power || made == order.size()) points.push_back(make(formats, false));
    if (points.size() == kMostPoints) break;
  }
  return points;
}

}  // namespace thimble
