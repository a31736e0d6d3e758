// SPDX-License-Identifier: Apache-2.0
// What a .tflite file says, as plain values. file.cc alone knows that it is a flatbuffer; all that
// is read is a view into its bytes, which a caller keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/tflite/records.h"

namespace thimble {
namespace tflite {
struct Model;
struct SubGraph;
}  // namespace tflite

/// The size of a tensor; 0: it has no size of its own.
[[nodiscard]] int64_t element_bits(tfl::TensorType type);

/// What the format calls a value; "" for one that it does not know.
[[nodiscard]] const char* format_name(tfl::TensorType type);
[[nodiscard]] const char* format_name(tfl::BuiltinOperator code);
[[nodiscard]] const char* format_name(tfl::ActivationFunctionType type);

struct FlatNetwork;

/// A subgraph of a file that the flatbuffers verifier has accepted: its tables may be followed, but
/// no index, size or value in them is to be believed.
class TfliteFile {
 public:
  /// What scalars of a file have to be aligned to in memory.
  static constexpr size_t kAlignment = 16;

  /// The first subgraph. open_shapes: those of activations follow from ImportOptions::shapes.
  /// Throws CompileError for what is no well-formed .tflite of the version that is supported, or
  /// has no operators.
  TfliteFile(std::span<const uint8_t> bytes, const std::string& where, bool open_shapes);

  [[nodiscard]] std::span<const uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// About what its tensors and operators may come to: a hostile file names one thing many times.
  [[nodiscard]] int64_t size_bytes() const;
  [[nodiscard]] bool open_shapes() const { return open_shapes_; }

  [[nodiscard]] size_t tensor_count() const;
  [[nodiscard]] tfl::TensorRecord tensor(size_t t) const;
  [[nodiscard]] size_t op_count() const;
  [[nodiscard]] tfl::OperatorRecord op(size_t i) const;
  [[nodiscard]] std::span<const int32_t> inputs() const;
  [[nodiscard]] std::span<const int32_t> outputs() const;

  [[nodiscard]] size_t subgraph_count() const;
  /// What its messages begin with names it, too.
  [[nodiscard]] TfliteFile subgraph(size_t number) const;
  /// The file with this for its first subgraph.
  [[nodiscard]] TfliteFile with(std::shared_ptr<const FlatNetwork> network) const;
  /// What with() was given; else null.
  [[nodiscard]] const FlatNetwork* flat() const { return flat_.get(); }

  /// The buffers of all metadata with this name.
  [[nodiscard]] std::vector<uint32_t> metadata_buffers(std::string_view name) const;

  /// Whether any operator code of the file is this one.
  [[nodiscard]] bool has_code(tfl::BuiltinOperator code) const;
  [[nodiscard]] size_t buffer_count() const;
  /// Whether there is such a buffer, and it is not empty.
  [[nodiscard]] bool has_data(uint32_t buffer) const;
  /// Throws CompileError for one that there is not, or that ends behind the file.
  [[nodiscard]] std::span<const uint8_t> data(uint32_t buffer, const std::string& where) const;
  /// What the file has under this name beside the network; nothing: no such. Throws as data().
  [[nodiscard]] std::optional<std::span<const uint8_t>> metadata(std::string_view name) const;

 private:
  std::span<const uint8_t> bytes_;
  const tflite::Model* model_ = nullptr;
  const tflite::SubGraph* network_ = nullptr;
  std::shared_ptr<const FlatNetwork> flat_;
  std::string where_;
  bool open_shapes_ = false;
};

}  // namespace thimble
