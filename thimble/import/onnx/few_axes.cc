// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/few_axes.h"

#include "thimble/import/merged_axes.h"

namespace thimble::onnx {
namespace {

bool is_padding(const Attributes& attributes) {
  return attributes.arithmetic == Arithmetic::kTflite && std::holds_alternative<Pad>(attributes);
}

}  // namespace

Steps with_few_axes(Steps network) {
  std::vector<Step> few;
  few.reserve(network.steps.size());
  for (Step& step : network.steps) {
    const FileOp from{.where = step.where,
                      .number = step.op.file_index,
                      .tensors = network.tensors,
                      .inputs = step.op.inputs,
                      .outputs = step.op.outputs};
    Expansion merged(from, network.tensors);
    if (!is_padding(step.op.attributes) || !merge_axes(step.op.attributes, from, merged)) {
      few.push_back(std::move(step));
      continue;
    }
    for (Op& op : merged.done().ops) few.push_back({std::move(op), step.where});
  }
  network.steps = std::move(few);
  return network;
}

}  // namespace thimble::onnx
