// SPDX-License-Identifier: Apache-2.0
// Makes a FlatNetwork, operator by operator: what is known of integers becomes constants, and lists
// of rows are kept as such until something else reads them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "thimble/import/tflite/flat_network.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/row_lists.h"

namespace thimble {

[[nodiscard]] bool have_same_scales(const tfl::TensorRecord& a, const tfl::TensorRecord& b);
/// Whether they have one type and scale.
[[nodiscard]] bool is_alike(const tfl::TensorRecord& a, const tfl::TensorRecord& b);
/// Whether all of its extents are known.
[[nodiscard]] bool has_fixed_shape(const tfl::TensorRecord& tensor);

class FlatBuilder {
 public:
  /// Begins with the tensors of the first subgraph, under their numbers.
  explicit FlatBuilder(const TfliteFile& file);

  /// A further tensor, of a subgraph. Extents that its file leaves open are open.
  int32_t tensor(tfl::TensorRecord from);
  [[nodiscard]] const tfl::TensorRecord& record(int32_t tensor) const {
    return network_->tensors[static_cast<size_t>(tensor)];
  }
  /// What is made gets another name; constants and ports keep theirs.
  void rename(int32_t tensor, std::string_view name);
  /// The value of a boolean, if it is known.
  [[nodiscard]] std::optional<bool> truth(int32_t tensor) const;

  /// kind: null if it is not supported. Operands are numbers of tensors, -1 where one is absent.
  /// Returns about how much work it was, in operators.
  int64_t add(const OperatorKind* kind, const tfl::OperatorRecord& op,
              const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs);
  [[nodiscard]] int64_t size_bytes() const { return network_->size_bytes; }

  [[nodiscard]] std::shared_ptr<const FlatNetwork> finish(const std::vector<int32_t>& outputs,
                                                          const std::vector<bool>& subgraphs);

 private:
  bool fold(const tfl::OperatorRecord& op, const TfliteOp& as_op, std::vector<Tensor>& tensors,
            const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs);
  [[nodiscard]] Tensor small_tensor(int32_t number) const;
  [[nodiscard]] std::optional<std::span<const uint8_t>> data_of(int32_t tensor) const;

  [[nodiscard]] bool is_list(int32_t tensor) const { return lists_.contains(tensor); }
  [[nodiscard]] std::optional<RowList> rows_of(int32_t tensor) const;
  std::optional<RowList> list_made(const tfl::OperatorRecord& op, const TfliteOp& as_op,
                                   const std::vector<int32_t>& inputs, int32_t output) const;
  bool picks_row(const tfl::OperatorRecord& op, const TfliteOp& as_op,
                 const std::vector<int32_t>& inputs, int32_t output);
  void set_list(int32_t tensor, RowList list, int32_t like);
  void make_list(int32_t tensor);

  void emit(tfl::OperatorRecord op, std::vector<int32_t> inputs, std::vector<int32_t> outputs);
  int32_t rows_tensor(int32_t like, int64_t rows);
  int32_t numbers_tensor(const std::vector<int32_t>& values);
  void set_constant(int32_t tensor, std::vector<uint8_t> bytes);
  std::span<const int32_t> kept(std::vector<int32_t> numbers);

  const TfliteFile& file_;
  std::shared_ptr<FlatNetwork> network_;
  size_t own_tensors_;
  std::map<int32_t, RowList> lists_;  ///< of which nothing has been made yet
};

}  // namespace thimble
