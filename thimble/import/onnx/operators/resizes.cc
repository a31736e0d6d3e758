// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: of rows and columns by operators of the Graph that do the same, else along
// one axis after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/shapes.h"

namespace thimble::onnx {
namespace {

/// What is asked of all axes.
struct Wanted {
  Shape to;
  std::vector<float> scales;  ///< of each axis
  std::string coordinates, mode, rounding;
  float cubic = -0.75F;
  bool excludes_outside = false, antialias = false;
};

Wanted wanted_of(const Reading& r) {
  const Node& node = r.node;
  const Value& x = r.input(0);
  const bool upsample = node.op() == "Upsample" || node.opset < 11;
  Wanted wanted{.to = x.shape, .scales = std::vector<float>(x.rank(), 1)};
  wanted.coordinates =
      upsample ? "asymmetric" : node.text("coordinate_transformation_mode", "half_pixel");
  wanted.mode = node.text("mode", "nearest");
  if (wanted.mode == "bilinear") wanted.mode = "linear";
  wanted.rounding = upsample ? "floor" : node.text("nearest_mode", "round_prefer_floor");
  wanted.cubic = node.real("cubic_coeff_a", -0.75F);
  wanted.excludes_outside = node.whole("exclude_outside", 0) != 0;
  wanted.antialias = node.whole("antialias", 0) != 0;
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    node.refuse("is not supported but with the policy stretch");
  std::vector<int64_t> axes(x.rank());
  for (size_t k = 0; k < axes.size(); ++k) axes[k] = static_cast<int64_t>(k);
  axes = node.wholes("axes", axes);
  const size_t at = upsample ? 1 : 2;
  std::vector<float> scales = node.reals("scales");
  if (scales.empty() && r.has(at)) scales = reals(r.constant(at, "scales"));
  if (!scales.empty()) {
    if (scales.size() != axes.size()) node.damaged("scales of other axes");
    for (size_t k = 0; k < axes.size(); ++k) {
      const size_t axis = node.axis(axes[k], x.rank());
      if (!(scales[k] > 0) || scales[k] > 1e6F) node.damaged("a scale that is none");
      wanted.scales[axis] = scales[k];
      wanted.to[axis] =
          static_cast<int64_t>(std::floor(static_cast<float>(x.shape[axis]) * scales[k]));
    }
    return wanted;
  }
  if (!r.has(3)) node.damaged("it has neither scales nor sizes");
  const std::vector<int64_t> sizes = wholes(r.constant(3, "sizes"));
  if (sizes.size() != axes.size()) node.damaged("sizes of other axes");
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t axis = node.axis(axes[k], x.rank());
    wanted.to[axis] = sizes[k];
    wanted.scales[axis] = static_cast<float>(sizes[k]) / static_cast<float>(x.shape[axis]);
  }
  return wanted;
}

/// Where an index of the output lies among those of the input.
float origin(const Node& node, const Wanted& wanted, int64_t k, float scale, int64_t from,
             int64_t to) {
  const auto x = static_cast<float>(k);
  const std::string& mode = wanted.coordinates;
  if (mode == "half_pixel") return (x + 0.5F) / scale - 0.5F;
  if (mode == "pytorch_half_pixel") return to > 1 ? (x + 0.5F) / scale - 0.5F : 0;
  if (mode == "asymmetric") return x / scale;
  // What is left of a pixel counts, as the scale has it.
  const float resized = scale * static_cast<float>(from);
  if (mode == "align_corners")
    return to == 1 ? 0 : x * static_cast<float>(from - 1) / (resized - 1);
  if (mode == "half_pixel_symmetric") {
    const float adjustment = static_cast<float>(to) / (scale * static_cast<float>(from));
    const float centre = static_cast<float>(from) / 2;
    return centre * (1 - adjustment) + (x + 0.5F) / scale - 0.5F;
  }
  node.refuse(fmt::format("is not supported with coordinates {}", mode));
}

int64_t rounded(const Node& node, const std::string& how, float x) {
  if (how == "floor") return static_cast<int64_t>(std::floor(x));
  if (how == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (how == "round_prefer_floor") return static_cast<int64_t>(std::ceil(x - 0.5F));
  if (how == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5F));
  node.damaged("a nearest_mode that there is not");
}

std::vector<int64_t> nearest(const Node& node, const Wanted& wanted, size_t axis, int64_t from) {
  std::vector<int64_t> positions;
  for (int64_t k = 0; k < wanted.to[axis]; ++k)
    positions.push_back(std::clamp<int64_t>(
        rounded(node, wanted.rounding,
                origin(node, wanted, k, wanted.scales[axis], from, wanted.to[axis])),
        0, from - 1));
  return positions;
}

float cubic(float distance, float a) {
  const float d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

// What each index of the output takes of each of the input.
std::vector<float> weights(const Node& node, const Wanted& wanted, size_t axis, int64_t from) {
  const int64_t to = wanted.to[axis];
  const bool is_cubic = wanted.mode == "cubic";
  const float scale = wanted.scales[axis];
  const float spread = wanted.antialias && scale < 1 ? 1 / scale : 1;
  const float reach = (is_cubic ? 2 : 1) * spread;
  std::vector<float> matrix(static_cast<size_t>(to * from), 0);
  for (int64_t k = 0; k < to; ++k) {
    const float at = origin(node, wanted, k, scale, from, to);
    float sum = 0;
    std::vector<std::pair<int64_t, float>> taps;
    const auto first = static_cast<int64_t>(std::floor(at - reach)) + 1;
    for (int64_t i = first; static_cast<float>(i) < at + reach; ++i) {
      const float distance = (static_cast<float>(i) - at) / spread;
      const float weight =
          is_cubic ? cubic(distance, wanted.cubic) : std::max(0.0F, 1 - std::abs(distance));
      const bool outside = i < 0 || i >= from;
      if (outside && (wanted.excludes_outside || wanted.antialias)) continue;
      taps.emplace_back(std::clamp<int64_t>(i, 0, from - 1), weight);
      sum += weight;
    }
    for (const auto& [i, weight] : taps)
      matrix[static_cast<size_t>(k * from + i)] += sum == 0 ? 0 : weight / sum;
  }
  return matrix;
}

// An operator of the Graph that does the same to rows and columns; nothing: none does.
std::optional<Attributes> image_operator(const Node& node, const Wanted& wanted, const Value& x) {
  if (x.rank() != 4 || wanted.to[0] != x.shape[0] || wanted.to[1] != x.shape[1] ||
      wanted.antialias || x.type != DType::kFloat32)
    return std::nullopt;
  bool whole = true, to_one = false, same_scale = true;
  for (const size_t axis : {2, 3}) {
    const int64_t from = x.shape[axis], to = wanted.to[axis];
    whole = whole && to % from == 0;
    to_one = to_one || (to == 1 && from > 1);
    const float exact = static_cast<float>(to) / static_cast<float>(from);
    same_scale = same_scale && std::abs(exact - wanted.scales[axis]) < 1e-6F * exact;
  }
  const std::string& mode = wanted.coordinates;
  const bool aligned = mode == "align_corners" && !to_one;
  const bool centred = mode == "half_pixel" || (mode == "pytorch_half_pixel" && !to_one);
  if (!aligned && !(same_scale && (centred || mode == "asymmetric"))) return std::nullopt;
  if (wanted.mode == "linear") return ResizeBilinear{aligned, centred};
  if (wanted.mode != "nearest") return std::nullopt;
  const bool same = aligned   ? wanted.rounding == "round_prefer_ceil"
                    : centred ? whole && wanted.rounding.starts_with("round")
                              : wanted.rounding == "floor";
  (void)node;
  if (!same) return std::nullopt;
  return ResizeNearestNeighbor{aligned, centred};
}

void resize(Reading& r) {
  const Value& x = r.input(0);
  const Wanted wanted = wanted_of(r);
  if (std::ranges::any_of(wanted.to, [](int64_t extent) { return extent < 1 || extent > 65536; }))
    r.node.refuse(fmt::format("to {} is not supported", to_string(wanted.to)));
  if (const auto attributes = image_operator(r.node, wanted, x)) {
    const Order order = channels_last(4);
    return r.make(
        0, r.value(*attributes, {r.network.tensor(r.node, x, order)}, x.type, wanted.to, order));
  }
  if (wanted.mode != "nearest" && wanted.mode != "linear" && wanted.mode != "cubic")
    r.node.damaged(fmt::format("a mode '{}'", wanted.mode));
  Value result = x;
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    if (wanted.to[axis] == x.shape[axis] && wanted.scales[axis] == 1) continue;
    result = wanted.mode == "nearest"
                 ? taken(r, result, axis, nearest(r.node, wanted, axis, x.shape[axis]))
                 : mixed(r, result, axis, weights(r.node, wanted, axis, x.shape[axis]));
  }
  r.make(0, std::move(result));
}

}  // namespace

const ReadNodes& resize_operators() {
  static const ReadNodes all = {{"Resize", resize}, {"Upsample", resize}};
  return all;
}

}  // namespace thimble::onnx
