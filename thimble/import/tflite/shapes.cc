// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/refusal.h"
#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

constexpr const char* kShape = "--shape";

void set_input(const TfliteFile& file, const Section& section, const NamedShape& given,
               std::vector<Tensor>& tensors) {
  for (const TensorId id : section.inputs) {
    if (!id.valid()) continue;
    Tensor& tensor = tensors[id.index()];
    if (tensor.name != given.input && !(given.input.empty() && section.inputs.size() == 1))
      continue;
    if (tensor.shape.size() != given.shape.size()) {
      throw ImportError(
          kShape, fmt::format("input '{}' has {} axes, not {} ({})", tensor.name,
                              tensor.shape.size(), given.shape.size(), to_string(given.shape)));
    }
    if (!checked_size_bytes(given.shape, tensor.type, kMaxTensorBytes)) {
      throw ImportError(kShape, fmt::format("{} takes more than {} bytes", to_string(given.shape),
                                            kMaxTensorBytes));
    }
    tensor.shape = given.shape;
    return;
  }
  std::vector<std::string> names;
  for (const TensorId id : section.inputs)
    if (id.valid()) names.push_back(tensors[id.index()].name);
  throw ImportError(kShape, fmt::format("{} has no input '{}'; it has '{}'", file.where(),
                                        printable(given.input), fmt::join(names, "', '")));
}

/// Per tensor, whether the file says nothing of its shape. Files of old converters do not say that
/// one is a scalar, either: what follows then is a scalar, too.
std::vector<bool> open_ranks(const TfliteFile& file, const std::vector<Tensor>& tensors) {
  std::vector<bool> open(tensors.size());
  for (size_t t = 0; t < file.tensor_count(); ++t) {
    const tfl::TensorRecord from = file.tensor(t);
    open[t] = from.shape.empty() && !from.has_rank && !tensors[t].is_constant();
  }
  return open;
}

/// Sets the shape of output `op.output_number`.
void set_output(const OperatorKind& kind, const TfliteOp& op, Tensor& out) {
  Shape shape = kind.shape(op);
  const bool fits = std::ranges::all_of(shape, [](int64_t extent) { return extent >= 1; }) &&
                    shape.size() <= kMaxRank &&
                    checked_size_bytes(shape, out.type, kMaxTensorBytes);
  if (!fits || out.is_constant()) refuse_operands(op);
  out.shape = std::move(shape);
}

/// Sizes on the way to what has to follow. What is wrong with an operator is said where it is read.
void fold_sizes(const OperatorKind& kind, const TfliteOp& op, std::vector<Tensor>& tensors) {
  try {
    check_operands(kind, op);
    (void)fold_extents(op, kind.code, tensors);
  } catch (const CompileError&) {
  }
}

}  // namespace

void check_repeated_shapes(const OperatorKind& kind, TfliteOp op) {
  if (kind.repeats_shape == nullptr || !kind.repeats_shape(op)) return;
  for (op.output_number = 0; op.output_number < op.outputs.size(); ++op.output_number) {
    const Shape follows = kind.shape(op);
    if (follows == op.output().shape) continue;
    op.damaged(
        fmt::format("its parameters make shape {}, and its output "
                    "has shape {}",
                    to_string(follows), to_string(op.output().shape)));
  }
}

void infer_shapes(const TfliteFile& file, const Section& section,
                  const std::vector<NamedShape>& shapes, std::vector<Tensor>& tensors,
                  std::vector<std::string>* unknown) {
  const std::vector<bool> open = open_ranks(file, tensors);
  if (shapes.empty() && std::ranges::find(open, true) == open.end()) return;
  for (const NamedShape& shape : shapes) set_input(file, section, shape, tensors);
  for (const size_t i : section.ops) {
    const NamedKind kind = kind_of(file, i);
    TfliteOp op = read_operands(file, i, kind.name, tensors);
    if (kind.kind == nullptr) continue;  // refused where operators are read
    const bool by_handle = kind.kind->by_handle;
    if (by_handle && !shapes.empty()) not_followed(op);
    const auto is_open = [&](TensorId id) { return id.valid() && open[id.index()]; };
    if (by_handle || (shapes.empty() && std::ranges::none_of(op.outputs, is_open))) {
      if (!by_handle) fold_sizes(*kind.kind, op, tensors);
      continue;
    }
    check_operands(*kind.kind, op);
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      const size_t output = op.outputs[k].index();
      if (shapes.empty() && (!open[output] || kind.kind->custom != nullptr)) continue;
      op.output_number = k;
      try {
        set_output(*kind.kind, op, tensors[output]);
      } catch (const CompileError& error) {
        if (unknown == nullptr || !shapes.empty()) throw;
        (*unknown)[output] = error.what();
      }
    }
    (void)fold_extents(op, kind.kind->code, tensors);
  }
}

}  // namespace thimble
