// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/flat_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/refusal.h"
#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/operators/slices.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;
using tfl::TensorType;

constexpr size_t kMostKnownBytes = 512;  // of one operand
constexpr int64_t kTensorBytes = sizeof(tfl::TensorRecord);
constexpr int64_t kOpBytes = sizeof(tfl::OperatorRecord);
constexpr int64_t kPiecesOfWork = 64;

std::optional<DType> known_type(TensorType type) {
  switch (type) {
    case TensorType::BOOL:
      return DType::kBool;
    case TensorType::INT32:
      return DType::kInt32;
    case TensorType::INT64:
      return DType::kInt64;
    case TensorType::FLOAT32:
      return DType::kFloat32;
    default:
      return std::nullopt;
  }
}

/// Whether some are open, or come to more than a tensor may have.
bool has_open_extents(const tfl::TensorRecord& tensor) {
  const auto is_open = [](int32_t extent) { return extent < 0; };
  return std::ranges::any_of(tensor.shape, is_open) ||
         std::ranges::any_of(tensor.shape_signature, is_open) ||
         !checked_size_bytes({tensor.shape.begin(), tensor.shape.end()}, DType::kInt64,
                             kMaxTensorBytes);
}

/// Extents of a row.
std::span<const int32_t> row_of(const tfl::TensorRecord& tensor) { return tensor.shape.subspan(1); }

/// What is wrong with an operator is said where it is read.
bool has_its_operands(const OperatorKind& kind, const TfliteOp& op) {
  try {
    check_operands(kind, op);
  } catch (const CompileError&) {
    return false;
  }
  return !op.inputs.empty() && op.inputs[0].valid() && !op.outputs.empty();
}

/// Whether index 0 is where all axes but the first begin.
bool begins_at_first(const std::vector<int64_t>& begin) {
  return std::all_of(begin.begin() + 1, begin.end(), [](int64_t b) { return b == 0; });
}

}  // namespace

bool have_same_scales(const tfl::TensorRecord& a, const tfl::TensorRecord& b) {
  return std::ranges::equal(a.scales, b.scales) && std::ranges::equal(a.zero_points, b.zero_points);
}

bool is_alike(const tfl::TensorRecord& a, const tfl::TensorRecord& b) {
  return a.type == b.type && have_same_scales(a, b);
}

bool has_fixed_shape(const tfl::TensorRecord& tensor) {
  return (tensor.has_rank || !tensor.shape.empty()) && !has_open_extents(tensor);
}

FlatBuilder::FlatBuilder(const TfliteFile& file)
    : file_(file), network_(std::make_shared<FlatNetwork>()), own_tensors_(file.tensor_count()) {
  for (size_t t = 0; t < own_tensors_; ++t) network_->tensors.push_back(file.tensor(t));
  network_->inputs.assign(file.inputs().begin(), file.inputs().end());
  network_->first_constant = static_cast<uint32_t>(file.buffer_count());
}

int32_t FlatBuilder::tensor(tfl::TensorRecord from) {
  network_->size_bytes += kTensorBytes + std::ssize(from.name);
  if (!has_fixed_shape(from) && !file_.has_data(from.buffer)) {
    from.shape = from.shape_signature = {};
    from.has_rank = false;
  }
  network_->tensors.push_back(from);
  return static_cast<int32_t>(network_->tensors.size()) - 1;
}

void FlatBuilder::rename(int32_t tensor, std::string_view name) {
  const auto t = static_cast<size_t>(tensor);
  if (t >= own_tensors_ && !data_of(tensor)) network_->tensors[t].name = name;
}

std::optional<std::span<const uint8_t>> FlatBuilder::data_of(int32_t tensor) const {
  const uint32_t buffer = record(tensor).buffer;
  const uint32_t first = network_->first_constant;
  if (buffer >= first && buffer - first < network_->constants.size())
    return network_->constants[buffer - first];
  if (!file_.has_data(buffer)) return std::nullopt;
  return file_.data(buffer, file_.where());
}

std::optional<bool> FlatBuilder::truth(int32_t tensor) const {
  const auto data = data_of(tensor);
  if (record(tensor).type != TensorType::BOOL || !data || data->size() != 1) return std::nullopt;
  return data->front() != 0;
}

/// As far as fold_extents() and slices ask: its shape where that is fixed, values where they are
/// few.
Tensor FlatBuilder::small_tensor(int32_t number) const {
  Tensor result;
  if (number < 0) return result;
  const tfl::TensorRecord& from = record(number);
  result.type = known_type(from.type).value_or(DType::kInt8);
  if (has_open_extents(from)) return result;
  result.shape.assign(from.shape.begin(), from.shape.end());
  const auto data = data_of(number);
  if (data && known_type(from.type) && data->size() <= kMostKnownBytes &&
      static_cast<int64_t>(data->size()) == result.size_bytes())
    result.data = std::make_shared<const Bytes>(data->begin(), data->end());
  return result;
}

int64_t FlatBuilder::add(const OperatorKind* kind, const tfl::OperatorRecord& op,
                         const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs) {
  std::vector<Tensor> tensors;
  std::vector<TensorId> in, out;
  const auto add = [&](int32_t number, std::vector<TensorId>& ids) {
    ids.push_back(number < 0 ? TensorId{} : TensorId{static_cast<int32_t>(tensors.size())});
    if (number >= 0) tensors.push_back(small_tensor(number));
  };
  for (const int32_t number : inputs) add(number, in);
  for (const int32_t number : outputs) add(number, out);
  const TfliteOp as_op{{.where = file_.where(),
                        .tensors = tensors,
                        .inputs = std::move(in),
                        .outputs = std::move(out)},
                       op.options,
                       op.custom_options};
  int64_t pieces = 0;
  for (const int32_t number : inputs)
    if (is_list(number)) pieces += std::ssize(lists_.at(number));
  if (kind != nullptr && has_its_operands(*kind, as_op)) {
    if (fold(op, as_op, tensors, inputs, outputs)) return 0;
    if (std::optional<RowList> list = list_made(op, as_op, inputs, outputs[0])) {
      pieces += std::ssize(*list);
      set_list(outputs[0], std::move(*list), inputs[0]);
      return pieces / kPiecesOfWork;
    }
    if (picks_row(op, as_op, inputs, outputs[0])) return pieces / kPiecesOfWork;
  }
  for (const int32_t number : inputs)
    if (number >= 0 && is_list(number)) make_list(number);
  emit(op, inputs, outputs);
  return pieces / kPiecesOfWork;
}

/// A STRIDED_SLICE that is list[k] or list[k:k+1] becomes that row of the list.
bool FlatBuilder::picks_row(const tfl::OperatorRecord& op, const TfliteOp& as_op,
                            const std::vector<int32_t>& inputs, int32_t output) {
  const int32_t list = inputs[0];
  if (op.code != BuiltinOperator::STRIDED_SLICE || !is_list(list) ||
      !has_fixed_shape(record(output)) || !is_alike(record(list), record(output)))
    return false;
  Slice slice;
  try {
    slice = strided_slice_without_new_axes(as_op);
  } catch (const CompileError&) {
    return false;  // what is wrong with it is said where it is read
  }
  for (size_t axis = 1; axis < slice.begin.size(); ++axis)
    if (slice.begin[axis] != 0 || slice.stride[axis] != 1) return false;
  const std::span<const int32_t> shape = record(list).shape, out = record(output).shape;
  const bool drops = slice.dropped == std::vector<int>{0};
  const bool is_row = (drops && std::ranges::equal(out, shape.subspan(1))) ||
                      (slice.dropped.empty() && !out.empty() && out[0] == 1 &&
                       std::ranges::equal(out.subspan(1), shape.subspan(1)));
  if (!is_row) return false;
  const int32_t row = drops ? rows_tensor(list, 1) : output;
  set_list(row, rows_between(lists_.at(list), slice.begin[0], 1), list);
  if (drops) {
    make_list(row);
    emit({.code = BuiltinOperator::SQUEEZE, .options = tfl::SqueezeOptions{kept({0})}}, {row},
         {output});
  }
  return true;
}

bool FlatBuilder::fold(const tfl::OperatorRecord& op, const TfliteOp& as_op,
                       std::vector<Tensor>& tensors, const std::vector<int32_t>& inputs,
                       const std::vector<int32_t>& outputs) {
  const auto may_be_known = [&](int32_t number) {
    return known_type(record(number).type) && !has_open_extents(record(number));
  };
  if (!std::ranges::all_of(outputs, may_be_known)) return false;
  const bool asks_shape = op.code == BuiltinOperator::SHAPE || op.code == BuiltinOperator::RANK ||
                          op.code == BuiltinOperator::ZEROS_LIKE;
  if (asks_shape && !has_fixed_shape(record(inputs[0]))) return false;
  try {
    if (!fold_extents(as_op, *op.code, tensors)) return false;
  } catch (const CompileError&) {
    return false;  // what is wrong with it is said where it is read
  }
  for (size_t k = 0; k < outputs.size(); ++k)
    set_constant(outputs[k], *tensors[as_op.outputs[k].index()].data);
  return true;
}

void FlatBuilder::set_constant(int32_t tensor, std::vector<uint8_t> bytes) {
  network_->size_bytes += std::ssize(bytes);
  network_->bytes.push_back(std::move(bytes));
  network_->constants.emplace_back(network_->bytes.back());
  network_->tensors[static_cast<size_t>(tensor)].buffer =
      network_->first_constant + static_cast<uint32_t>(network_->constants.size()) - 1;
}

std::optional<RowList> FlatBuilder::rows_of(int32_t tensor) const {
  if (const auto found = lists_.find(tensor); found != lists_.end()) return found->second;
  const tfl::TensorRecord& from = record(tensor);
  if (!has_fixed_shape(from) || from.shape.empty()) return std::nullopt;
  if (from.shape[0] == 0) return RowList{};
  return RowList{{tensor, 0, from.shape[0]}};
}

/// The rows of what slices and joins rows of a list; nothing of what does anything else.
std::optional<RowList> FlatBuilder::list_made(const tfl::OperatorRecord& op, const TfliteOp& as_op,
                                              const std::vector<int32_t>& inputs,
                                              int32_t output) const {
  const auto is_known = [&](size_t k) {
    if (k >= as_op.inputs.size() || !as_op.inputs[k].valid()) return false;
    const Tensor& t = as_op.input(k);
    return t.is_constant() && (t.type == DType::kInt32 || t.type == DType::kInt64);
  };
  const auto goes_with = [&](int32_t number) {  // rows of the first one, and of its scale
    if (number < 0) return false;
    const tfl::TensorRecord &a = record(inputs[0]), &b = record(number);
    return is_alike(a, b) && has_fixed_shape(a) && has_fixed_shape(b) && !a.shape.empty() &&
           !b.shape.empty() && std::ranges::equal(row_of(a), row_of(b));
  };
  if (!has_fixed_shape(record(inputs[0])) || record(inputs[0]).shape.empty() ||
      !is_alike(record(inputs[0]), record(output)))
    return std::nullopt;
  const auto extent = static_cast<int64_t>(record(inputs[0]).shape[0]);
  if (op.code == BuiltinOperator::SLICE && is_known(1) && is_known(2)) {
    const std::vector<int64_t> begin = integers(as_op, 1, "begin");
    std::vector<int64_t> size = integers(as_op, 2, "size");
    const std::span<const int32_t> shape = record(inputs[0]).shape;
    if (begin.size() != shape.size() || size.size() != shape.size() || !begins_at_first(begin) ||
        begin[0] < 0 || begin[0] > extent)
      return std::nullopt;
    for (size_t axis = 0; axis < size.size(); ++axis)
      if (size[axis] == -1) size[axis] = shape[axis] - begin[axis];
    if (!std::ranges::equal(std::span(size).subspan(1), row_of(record(inputs[0]))) || size[0] < 0 ||
        size[0] > extent - begin[0])
      return std::nullopt;
    return rows_between(*rows_of(inputs[0]), begin[0], size[0]);
  }
  if (op.code == BuiltinOperator::DYNAMIC_UPDATE_SLICE && inputs.size() == 3 && is_known(2) &&
      goes_with(inputs[1])) {
    const std::vector<int64_t> begin = integers(as_op, 2, "begin");
    const auto rows = static_cast<int64_t>(record(inputs[1]).shape[0]);
    if (begin.empty() || !begins_at_first(begin) || begin[0] < 0 || begin[0] > extent - rows)
      return std::nullopt;
    const RowList old = *rows_of(inputs[0]);
    RowList result = rows_between(old, 0, begin[0]);
    append(result, *rows_of(inputs[1]));
    append(result, rows_between(old, begin[0] + rows, extent - begin[0] - rows));
    return result;
  }
  if (op.code == BuiltinOperator::CONCATENATION) {
    const auto* options = std::get_if<tfl::AxisOptions>(&op.options);
    const auto is_a_list = [&](int32_t number) { return is_list(number); };
    if (options == nullptr || options->axis != 0 ||
        options->activation != tfl::ActivationFunctionType::NONE ||
        std::ranges::none_of(inputs, is_a_list) || !std::ranges::all_of(inputs, goes_with))
      return std::nullopt;
    RowList result;
    for (const int32_t number : inputs) append(result, *rows_of(number));
    if (row_count(result) > std::numeric_limits<int32_t>::max()) return std::nullopt;
    return result;
  }
  return std::nullopt;
}

void FlatBuilder::set_list(int32_t tensor, RowList list, int32_t like) {
  std::vector<int32_t> shape(record(like).shape.begin(), record(like).shape.end());
  shape[0] = static_cast<int32_t>(row_count(list));
  tfl::TensorRecord& made = network_->tensors[static_cast<size_t>(tensor)];
  made.shape = kept(std::move(shape));
  made.shape_signature = {};
  made.has_rank = true;
  network_->size_bytes += std::ssize(list) * static_cast<int64_t>(sizeof(RowsOf));
  lists_.insert_or_assign(tensor, std::move(list));
}

void FlatBuilder::make_list(int32_t tensor) {
  const RowList list = std::move(lists_.extract(tensor).mapped());
  if (list.empty())
    throw ImportError(file_.where(), "is not supported: a loop of it reads a slice of nothing");
  std::vector<int32_t> parts;
  for (const RowsOf& rows : list) {
    const std::span<const int32_t> shape = record(rows.tensor).shape;
    if (rows.begin == 0 && rows.count == shape[0]) {
      parts.push_back(rows.tensor);
      continue;
    }
    std::vector<int32_t> begin(shape.size()), size(shape.begin(), shape.end());
    begin[0] = static_cast<int32_t>(rows.begin);
    size[0] = static_cast<int32_t>(rows.count);
    const int32_t begins = numbers_tensor(begin), sizes = numbers_tensor(size);
    parts.push_back(list.size() == 1 ? tensor : rows_tensor(rows.tensor, rows.count));
    emit({.code = BuiltinOperator::SLICE}, {rows.tensor, begins, sizes}, {parts.back()});
  }
  if (list.size() == 1 && parts[0] == tensor) return;
  emit({.code = BuiltinOperator::CONCATENATION, .options = tfl::AxisOptions{}}, std::move(parts),
       {tensor});
}

int32_t FlatBuilder::rows_tensor(int32_t like, int64_t rows) {
  const int32_t made = tensor(record(like));
  std::vector<int32_t> shape(record(like).shape.begin(), record(like).shape.end());
  shape[0] = static_cast<int32_t>(rows);
  tfl::TensorRecord& of = network_->tensors.back();
  of.shape = kept(std::move(shape));
  of.buffer = FlatNetwork::kNoBuffer;
  return made;
}

int32_t FlatBuilder::numbers_tensor(const std::vector<int32_t>& values) {
  const int32_t made = tensor({.type = TensorType::INT32,
                               .shape = kept({static_cast<int32_t>(values.size())}),
                               .has_rank = true});
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  set_constant(made, std::move(bytes));
  return made;
}

std::span<const int32_t> FlatBuilder::kept(std::vector<int32_t> numbers) {
  network_->size_bytes += std::ssize(numbers) * static_cast<int64_t>(sizeof(int32_t));
  return network_->numbers.emplace_back(std::move(numbers));
}

void FlatBuilder::emit(tfl::OperatorRecord op, std::vector<int32_t> inputs,
                       std::vector<int32_t> outputs) {
  op.inputs = kept(std::move(inputs));
  op.outputs = kept(std::move(outputs));
  network_->size_bytes += kOpBytes;
  network_->ops.push_back(std::move(op));
}

std::shared_ptr<const FlatNetwork> FlatBuilder::finish(const std::vector<int32_t>& outputs,
                                                       const std::vector<bool>& subgraphs) {
  for (const int32_t number : outputs)
    if (number >= 0 && is_list(number)) make_list(number);
  network_->outputs = outputs;
  network_->subgraphs = subgraphs;
  return network_;
}

}  // namespace thimble
