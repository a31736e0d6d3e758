// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/patch_sums.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
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

/// Drifts are summed in parts of a step, and lie within some hundred steps.
constexpr double kParts = 256;

/// Steps of int16 are counted by 256: products of two of 8 bits take 32 in all windows.
int64_t steps_in_one(const Tensor& tensor) { return tensor.type == DType::kInt16 ? 256 : 1; }

struct Steps {
  std::vector<int16_t> x;      ///< less the zero point, in units of steps_in_one
  std::vector<int16_t> drift;  ///< of the float network's beyond the exact x, in parts of such
};

int16_t rounded(double value) {
  return static_cast<int16_t>(std::clamp(std::round(value), -32767.0, 32767.0));
}

Steps steps_of(const Tensor& tensor, const Bytes& bytes, const RealValues& real) {
  const auto unit = static_cast<double>(steps_in_one(tensor));
  const double scale = tensor.quantization.scales[0];
  const RealValues values = dequantised(tensor, bytes);
  Steps steps;
  steps.x.reserve(values.size());
  steps.drift.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    steps.x.push_back(rounded(values[i] / (scale * unit)));
    steps.drift.push_back(rounded((double{real[i]} - values[i]) / (scale * unit) * kParts));
  }
  return steps;
}

}  // namespace

/// The places of windows in one inference.
struct PatchSums::Reader {
  const PatchSums& sums;

  /// Of an output pixel (of a row, if the layer has no window), for one group.
  void read(const std::vector<int16_t>& x, int64_t at, size_t group,
            std::vector<int16_t>& places) const {
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
  drifts_.resize(sums_.size());
  if (!products || static_cast<int64_t>(places_) > kMostPlaces) return;
  products_.resize(sums_.size() * places_);
  cross_.resize(products_.size());
}

void PatchSums::add(const Bytes& bytes, const RealValues& real) {
  const Steps steps = steps_of(graph_->tensor(op_->inputs[0]), bytes, real);
  const Reader reader{*this};
  const Shape& y = graph_->tensor(op_->outputs[0]).shape;
  const bool dense = std::holds_alternative<FullyConnected>(op_->attributes);
  const int64_t pixels =
      dense ? std::ssize(steps.x) / static_cast<int64_t>(places_) : elements(y) / y.back();
  const std::vector<int64_t> chosen = looked_at(pixels, kWindows);
  windows_ += std::ssize(chosen);
  std::vector<int16_t> x(places_), drift(places_);
  // At most 64 products of 9 bits with 16.
  std::vector<int32_t> products(has_products() ? places_ * places_ : 0), cross(products.size());
  for (size_t g = 0; g < groups_; ++g) {
    std::ranges::fill(products, 0);
    std::ranges::fill(cross, 0);
    for (const int64_t at : chosen) {
      reader.read(steps.x, at, g, x);
      reader.read(steps.drift, at, g, drift);
      for (size_t k = 0; k < places_; ++k) {
        sums_[g * places_ + k] += x[k];
        drifts_[g * places_ + k] += drift[k];
      }
      for (size_t k = 0; k < places_ && has_products(); ++k) {
        const int32_t one = x[k];
        if (one == 0) continue;
        for (size_t j = 0; j < places_; ++j) products[k * places_ + j] += one * x[j];
        for (size_t j = 0; j < places_; ++j) cross[k * places_ + j] += one * drift[j];
      }
    }
    const size_t first = g * places_ * places_;
    for (size_t k = 0; k < products.size(); ++k) {
      products_[first + k] += products[k];
      cross_[first + k] += cross[k];
    }
  }
}

void PatchSums::include(const PatchSums& other) {
  windows_ += other.windows_;
  for (const auto part :
       {&PatchSums::sums_, &PatchSums::drifts_, &PatchSums::products_, &PatchSums::cross_})
    for (size_t k = 0; k < (this->*part).size(); ++k) (this->*part)[k] += (other.*part)[k];
}

double PatchSums::mean(size_t group, size_t place) const {
  if (windows_ == 0) return 0;
  const auto unit = static_cast<double>(steps_in_one(graph_->tensor(op_->inputs[0])));
  return unit * static_cast<double>(sums_[group * places_ + place]) / static_cast<double>(windows_);
}

double PatchSums::mean_drift(size_t group, size_t place) const {
  if (windows_ == 0) return 0;
  const auto unit = static_cast<double>(steps_in_one(graph_->tensor(op_->inputs[0])));
  return unit * static_cast<double>(drifts_[group * places_ + place]) /
         (kParts * static_cast<double>(windows_));
}

std::vector<double> PatchSums::moments(size_t group, bool centred) const {
  check(has_products() && windows_ > 0, "products of places were not summed");
  const auto unit = static_cast<double>(steps_in_one(graph_->tensor(op_->inputs[0])));
  std::vector<double> result(places_ * places_);
  for (size_t k = 0; k < places_; ++k) {
    for (size_t j = 0; j < places_; ++j) {
      const int64_t sum = products_[(group * places_ + k) * places_ + j];
      double& value = result[k * places_ + j];
      value = unit * unit * static_cast<double>(sum) / static_cast<double>(windows_);
      if (centred) value -= mean(group, k) * mean(group, j);
    }
  }
  return result;
}

std::vector<double> PatchSums::drift(size_t group, bool centred) const {
  check(has_products() && windows_ > 0, "products of places were not summed");
  const auto unit = static_cast<double>(steps_in_one(graph_->tensor(op_->inputs[0])));
  std::vector<double> result(places_ * places_);
  for (size_t k = 0; k < places_; ++k) {
    for (size_t j = 0; j < places_; ++j) {
      const int64_t sum = cross_[(group * places_ + k) * places_ + j];
      double& value = result[k * places_ + j];
      value = unit * unit * static_cast<double>(sum) / (kParts * static_cast<double>(windows_));
      if (centred) value -= mean(group, k) * mean_drift(group, j);
    }
  }
  return result;
}

}  // namespace thimble
