// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/patch_sums.h"

#include <algorithm>
#include <cmath>

#include "thimble/reference/window.h"

namespace thimble {
namespace {

/// Which of `count` are looked at: all, or some in an order without a period, so that they do not
/// fall into a few columns of an image.
std::vector<int64_t> looked_at(int64_t count, int64_t most) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  std::vector<int64_t> result;
  for (int64_t k = 0; k < std::min(count, most); ++k) {
    const double turns = static_cast<double>(k) * kGoldenRatio;
    result.push_back(count <= most ? k
                                   : static_cast<int64_t>((turns - std::floor(turns)) *
                                                          static_cast<double>(count)));
  }
  return result;
}

/// Integers less their zero point; those of int16 in units of 256.
std::vector<int16_t> less_zero(const Tensor& tensor, const Bytes& bytes) {
  std::vector<int16_t> values;
  if (tensor.type == DType::kInt16) {
    for (size_t i = 1; i < bytes.size(); i += 2) values.push_back(static_cast<int8_t>(bytes[i]));
    return values;
  }
  const auto zero = static_cast<int16_t>(tensor.quantization.zero_points[0]);
  for (const uint8_t byte : bytes)
    values.push_back(static_cast<int16_t>(static_cast<int8_t>(byte) - zero));
  return values;
}

}  // namespace

/// The places of windows in one inference.
struct PatchSums::Reader {
  const PatchSums& sums;
  const std::vector<int16_t>& x;

  /// Of an output pixel (of a row, if the layer has no window), for one group.
  void read(int64_t at, size_t group, std::vector<int16_t>& places) const {
    std::ranges::fill(places, int16_t{0});
    const Graph& graph = *sums.graph_;
    const Op& op = *sums.op_;
    if (std::holds_alternative<FullyConnected>(op.attributes)) {
      std::copy_n(x.begin() + at * std::ssize(places), places.size(), places.begin());
      return;
    }
    const auto* conv = std::get_if<Conv2D>(&op.attributes);
    const Window& window =
        conv != nullptr ? conv->window : std::get<DepthwiseConv2D>(op.attributes).window;
    const reference::Image in(graph.tensor(op.inputs[0]).shape),
        out(graph.tensor(op.outputs[0]).shape);
    const int64_t each = in.c / static_cast<int64_t>(sums.groups_);
    const int64_t n = at / (out.h * out.w), row = at / out.w % out.h, column = at % out.w;
    const reference::Taps rows = reference::taps_of_row(window, row, in.h);
    const reference::Taps columns = reference::taps_of_column(window, column, in.w);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        const int64_t from =
            in.pixel(n, rows.position(i), columns.position(j)) + static_cast<int64_t>(group) * each;
        std::copy_n(x.begin() + from, each, places.begin() + (i * window.kernel_w + j) * each);
      }
    }
  }
};

bool PatchSums::knows(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

PatchSums::PatchSums(const Graph& graph, const Op& op, bool products) : graph_(&graph), op_(&op) {
  const Shape& weights = graph.tensor(op.inputs[1]).shape;
  const Shape& x = graph.tensor(op.inputs[0]).shape;
  if (const auto* depthwise = std::get_if<DepthwiseConv2D>(&op.attributes)) {
    groups_ = static_cast<size_t>(x.back());
    outputs_each_ = static_cast<size_t>(depthwise->multiplier);
    places_ = static_cast<size_t>(weights[1] * weights[2]);
  } else {
    places_ = static_cast<size_t>(elements(weights) / weights[0]);
    if (std::holds_alternative<Conv2D>(op.attributes))
      groups_ = static_cast<size_t>(x.back() / weights.back());
    outputs_each_ = static_cast<size_t>(weights[0]) / groups_;
  }
  sums_.resize(groups_ * places_);
  if (products && static_cast<int64_t>(places_) <= kMostPlaces)
    products_.resize(groups_ * places_ * places_);
}

void PatchSums::add(const Bytes& bytes) {
  const std::vector<int16_t> x = less_zero(graph_->tensor(op_->inputs[0]), bytes);
  const Reader reader{*this, x};
  const Shape& y = graph_->tensor(op_->outputs[0]).shape;
  const bool dense = std::holds_alternative<FullyConnected>(op_->attributes);
  const int64_t pixels =
      dense ? std::ssize(x) / static_cast<int64_t>(places_) : elements(y) / y.back();
  const std::vector<int64_t> chosen = looked_at(pixels, kWindows);
  windows_ += std::ssize(chosen);
  std::vector<int16_t> places(places_);
  // At most 64 products of 16 bits each.
  std::vector<int32_t> products(products_.empty() ? 0 : places_ * places_);
  for (size_t g = 0; g < groups_; ++g) {
    std::ranges::fill(products, 0);
    for (const int64_t at : chosen) {
      reader.read(at, g, places);
      for (size_t k = 0; k < places_; ++k) sums_[g * places_ + k] += places[k];
      for (size_t k = 0; k < places_ && !products.empty(); ++k) {
        const int32_t one = places[k];
        if (one == 0) continue;
        int32_t* const row = &products[k * places_];
        for (size_t j = 0; j <= k; ++j) row[j] += one * places[j];
      }
    }
    for (size_t k = 0; k < products.size(); ++k)
      products_[g * places_ * places_ + k] += products[k];
  }
}

void PatchSums::include(const PatchSums& other) {
  windows_ += other.windows_;
  for (size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
  for (size_t k = 0; k < products_.size(); ++k) products_[k] += other.products_[k];
}

double PatchSums::mean(size_t group, size_t place) const {
  if (windows_ == 0) return 0;
  const double unit = graph_->tensor(op_->inputs[0]).type == DType::kInt16 ? 256 : 1;
  return unit * static_cast<double>(sums_[group * places_ + place]) / static_cast<double>(windows_);
}

std::vector<double> PatchSums::moments(size_t group, bool centred) const {
  if (products_.empty() || windows_ == 0) return {};
  const double unit = graph_->tensor(op_->inputs[0]).type == DType::kInt16 ? 256 * 256 : 1;
  std::vector<double> result(places_ * places_);
  for (size_t k = 0; k < places_; ++k) {
    for (size_t j = 0; j <= k; ++j) {
      const int64_t sum = products_[(group * places_ + k) * places_ + j];
      double value = unit * static_cast<double>(sum) / static_cast<double>(windows_);
      if (centred) value -= mean(group, k) * mean(group, j);
      result[k * places_ + j] = result[j * places_ + k] = value;
    }
  }
  return result;
}

std::vector<double> PatchSums::covariance(size_t group) const { return moments(group, true); }
std::vector<double> PatchSums::second_moments(size_t group) const { return moments(group, false); }

}  // namespace thimble
