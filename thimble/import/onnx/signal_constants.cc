// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/signal_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thimble::onnx {
namespace {

constexpr double kMostElements = 1 << 24;

Constant in_its_type(const Node& node, const Constant& values) {
  const auto to = static_cast<ElementType>(
      node.whole("output_datatype", static_cast<int64_t>(ElementType::kFloat)));
  const std::optional<DType> type = type_of(to);
  if (!type) node.refuse(fmt::format("of {} is not supported", name(to)));
  return converted(values, *type);
}

double number(const Node& node, const std::vector<const Constant*>& in, size_t k) {
  if (k >= in.size() || in[k] == nullptr) node.damaged(fmt::format("input {} is missing", k));
  if (in[k]->size() != 1) node.damaged(fmt::format("input {} is not one number", k));
  return in[k]->type == DType::kFloat32 ? static_cast<double>(reals(*in[k])[0])
                                        : static_cast<double>(wholes(*in[k])[0]);
}

/// A sum of cosines: a0 - a1 cos(x) + a2 cos(2 x).
struct Cosines {
  double a0, a1, a2 = 0;
};

Cosines cosines_of(std::string_view op) {
  if (op == "HammingWindow") return {25.0 / 46, 21.0 / 46};
  if (op == "BlackmanWindow") return {0.42, 0.5, 0.08};
  return {0.5, 0.5};
}

}  // namespace

Constant window_of_signal(const Node& node, const std::vector<const Constant*>& in) {
  const double size = number(node, in, 0);
  if (!(size >= 1 && size <= kMostElements)) node.damaged(fmt::format("a window of {}", size));
  const bool periodic = node.whole("periodic", 1) != 0;
  const Cosines of = cosines_of(node.op());
  const double period = periodic ? size : std::max(size - 1, 1.0);
  std::vector<float> values;
  for (int64_t k = 0; k < static_cast<int64_t>(size); ++k) {
    const double x = 2 * std::numbers::pi * static_cast<double>(k) / period;
    values.push_back(static_cast<float>(of.a0 - of.a1 * std::cos(x) + of.a2 * std::cos(2 * x)));
  }
  return in_its_type(node, constant_of({std::ssize(values)}, values));
}

// Triangles over the bins of a spectrum, even on the mel scale.
Constant mel_matrix(const Node& node, const std::vector<const Constant*>& in) {
  constexpr double kMel = 2595, kHertz = 700;
  const double bands = number(node, in, 0), length = number(node, in, 1);
  const double rate = number(node, in, 2), low = number(node, in, 3), high = number(node, in, 4);
  const double bins = std::floor(length / 2) + 1;
  if (!(bands >= 1 && length >= 1 && rate >= 1 && bands * bins <= kMostElements && low >= 0 &&
        low < high))
    node.damaged("its bands, bins or frequencies are out of range");
  const auto mel = [](double hertz) { return kMel * std::log10(1 + hertz / kHertz); };
  const double step = (mel(high) - mel(low)) / (bands + 2);
  std::vector<int64_t> edges;  // in bins
  for (int64_t k = 0; k < static_cast<int64_t>(bands) + 2; ++k) {
    const double hertz =
        kHertz * (std::pow(10, (static_cast<double>(k) * step + mel(low)) / kMel) - 1);
    const double edge = std::floor((length + 1) * hertz / rate);
    if (!(edge <= bins)) node.damaged("its bands go beyond the spectrum");
    edges.push_back(static_cast<int64_t>(edge));
  }
  const auto rows = static_cast<int64_t>(bins), columns = static_cast<int64_t>(bands);
  std::vector<float> values(static_cast<size_t>(rows * columns), 0);
  for (int64_t band = 0; band < columns; ++band) {
    const int64_t begin = edges[static_cast<size_t>(band)];
    const int64_t top = edges[static_cast<size_t>(band) + 1];
    const int64_t end = edges[static_cast<size_t>(band) + 2];
    const auto set = [&](int64_t row, double value) {
      if (row < rows) values[static_cast<size_t>(row * columns + band)] = static_cast<float>(value);
    };
    for (int64_t k = begin; k <= top; ++k)
      set(k, top == begin ? 1 : static_cast<double>(k - begin) / static_cast<double>(top - begin));
    for (int64_t k = top; k < end; ++k)
      set(k, static_cast<double>(end - k) / static_cast<double>(end - top));
  }
  return in_its_type(node, constant_of({rows, columns}, values));
}

}  // namespace thimble::onnx
