// SPDX-License-Identifier: Apache-2.0
// Custom operators beside those of the audio front end: CIRCULAR_BUFFER, which is a state, and
// TFLite_Detection_PostProcess.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "thimble/import/tflite/custom_options.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/model/dequantised.h"

namespace thimble {
namespace {

/// Integers with a scale are dequantised.
TensorId in_float32(Expansion& steps, TensorId id) {
  const Tensor x = steps.tensor(id);
  if (x.type == DType::kFloat32) return id;
  if (x.is_constant() && x.type == DType::kInt8 && !x.quantization.scales.empty())
    return steps.add(dequantised(x));
  return steps.make_as(Dequantize{}, {id}, {.name = "", .shape = x.shape, .type = DType::kFloat32});
}

/// The oldest of the rows goes, the newest comes in behind the others.
void circular_buffer(const TfliteOp& op, Expansion& steps) {
  const bool given = !op.custom_options.empty();
  const int32_t cycles = given ? CustomOptions(op).integer("cycles_max") : 0;
  const Tensor x = op.input(0), out = op.output();
  // Without a number the original goes by the number of rows.
  const bool each_time =
      cycles == 1 || (cycles <= 0 && out.shape.size() == 4 &&
                      (out.shape[1] == 5 || out.shape[1] == 13 || out.shape[1] == 25));
  if (!each_time) {
    op.refuse(
        fmt::format("lets what follows run once in {} inferences, which is not supported; "
                    "supported is each time",
                    cycles <= 0 ? 2 : cycles));
  }
  Shape wanted = x.shape;
  if (wanted.size() == 4 && out.shape.size() == 4) wanted[1] = out.shape[1];
  if (wanted.size() != 4 || x.shape[1] != 1 || wanted != out.shape) {
    op.damaged(fmt::format("an input of shape {} and an output of shape {}", to_string(x.shape),
                           to_string(out.shape)));
  }
  if (out.shape[1] == 1) return steps.finish(Reshape{}, {op.inputs[0]});
  Tensor rows = out;
  rows.shape[1] = out.shape[1] - 1;
  const TensorId before = steps.add(rows);
  steps.tensor(before).name = out.name + "/rows";
  const TensorId all = steps.make(Concat{1}, {before, op.inputs[0]}, out.shape);
  const TensorId after = steps.make(Slice{{0, 1, 0, 0}, {1, 1, 1, 1}, {}}, {all}, rows.shape);
  steps.keep(before, after);
  steps.finish(Reshape{}, {all});
}

/// TensorFlow Lite's post-processing of detections: boxes, classes, scores and their number come
/// out of one tensor.
void detection_post_process(const TfliteOp& op, Expansion& steps) {
  const CustomOptions options(op);
  DetectionPostProcess found{
      .max_detections = options.integer("max_detections", 1, 65535),
      .detections_per_class = options.integer_or("detections_per_class", 100, 1, 65535),
      .classes = options.integer("num_classes", 1, INT32_MAX),
      .regular = options.boolean_or("use_regular_nms", false),
      .score_threshold = options.real("nms_score_threshold"),
      .iou_threshold = options.real("nms_iou_threshold"),
      .scales = {options.real("y_scale"), options.real("x_scale"), options.real("h_scale"),
                 options.real("w_scale")}};
  const int32_t each = std::min(options.integer("max_classes_per_detection"), found.classes);
  if (!found.regular && each != 1) {
    op.refuse(fmt::format("{} classes of a detection are not supported; supported is 1", each));
  }
  std::vector<TensorId> inputs;
  for (const TensorId id : op.inputs) inputs.push_back(in_float32(steps, id));
  const int64_t most = found.max_detections;
  const int64_t room = found.regular ? 4 * int64_t{found.detections_per_class} : 0;
  Tensor all{.name = "", .shape = {6 * most + 1 + room}, .type = DType::kFloat32};
  const TensorId packed = steps.make_as(found, inputs, all);
  const std::array<Shape, 4> shapes = {Shape{1, most, 4}, {1, most}, {1, most}, {1}};
  int64_t begin = 0;
  for (size_t k = 0; k < shapes.size(); ++k) {
    const int64_t count = elements(shapes[k]);
    steps.tensor(op.outputs[k]).shape = shapes[k];  // some files have others
    all.shape = {count};
    if (shapes[k] == all.shape) {
      steps.finish_output(k, Slice{{begin}, {1}, {}}, {packed});
      continue;
    }
    const TensorId part = steps.make_as(Slice{{begin}, {1}, {}}, {packed}, all);
    begin += count;
    steps.finish_output(k, Reshape{}, {part});
  }
}

}  // namespace

OperatorList custom_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = CUSTOM,
       .custom = "CIRCULAR_BUFFER",
       .expand = circular_buffer,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "TFLite_Detection_PostProcess",
       .inputs = {3, 3},
       .outputs = 4,
       .expand = detection_post_process,
       .shape = not_followed,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
