// SPDX-License-Identifier: Apache-2.0
// The network: operators and tensors in SSA form, static shapes, quantisation and constants.
//
// Semantics, once for the whole project:
//  - Images are NHWC; weights of a convolution are OHWI, of a depthwise convolution 1HWO.
//  - real = scale * (quantised - zero_point). Requantisation is gemmlowp's: a saturating rounding
//    doubling high multiply, then a rounding right shift (double rounding).
//  - Every interval of indices or times is half-open.
//  - Operators stand in an order in which they can execute (the file's, until a planner says
//  otherwise).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "thimble/model/attributes.h"
#include "thimble/model/id.h"

namespace thimble {

enum class DType : uint8_t {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat32
};

[[nodiscard]] int64_t size_bytes(DType type);
[[nodiscard]] const char* name(DType type);  ///< "int8", "float32", ...

using Shape = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

[[nodiscard]] int64_t elements(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  ///< "1x96x96x3"; "scalar" for rank 0

/// Empty for float tensors. One scale and zero point, or one of each per index of `axis`.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int axis = 0;

  [[nodiscard]] bool per_channel() const { return scales.size() > 1; }
  bool operator==(const Quantization&) const = default;
};

struct Tensor {
  std::string name;
  Shape shape;
  DType type = DType::kInt8;
  Quantization quantization;
  std::shared_ptr<const Bytes> data;  ///< row-major, little-endian; null for activations

  [[nodiscard]] bool is_constant() const { return data != nullptr; }
  [[nodiscard]] int64_t size_bytes() const { return elements(shape) * thimble::size_bytes(type); }
  /// Constants compare by content.
  bool operator==(const Tensor& other) const;
};

struct Op {
  Attributes attributes;
  std::vector<TensorId>
      inputs;  ///< activations and constants, in the file's order; absent ones left out
  std::vector<TensorId> outputs;
  int file_index = -1;  ///< number of the operator in the file; -1 if a rewrite made it

  bool operator==(const Op&) const = default;
};

/// An input or output of the network as the caller sees it: the caller's bytes hold the tensor's
/// axes in `order`, outermost first (empty: row-major). {0, 3, 1, 2} is a channels-first image.
struct Port {
  TensorId tensor;
  std::vector<int> order = {};
  Shape shape = {};  ///< of the caller's bytes, where it does not follow from the tensor's

  bool operator==(const Port&) const = default;
};

/// A variable: what `out` holds after an inference is what `in` holds at the start of the next.
/// Both have one type and shape, and are no ports.
struct State {
  TensorId in, out;
  std::shared_ptr<const Bytes> initial;  ///< after a reset

  bool operator==(const State&) const = default;
};

/// A sum kept in less than 32 bits: lossy, and therefore a part of what the network means. An
/// element starts at the zero point; for each chunk of the reduced channels, upwards from 0,
///   element = saturate(element + requantise(sum over the chunk, the bias in the first)),
/// and the output is requantise(element - zero point), from `scale` to the output's.
struct Accumulator {
  TensorId tensor;            ///< int8, the output of a convolution or a fully connected layer
  DType type = DType::kInt8;  ///< kInt16 or kInt8
  float scale = 1;
  int32_t zero_point = 0;
  int64_t chunk = 1;  ///< channels; the last chunk may have fewer

  bool operator==(const Accumulator&) const = default;
};

struct Graph {
  std::string name;  ///< of the file, without folder and extension
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  std::vector<Port> inputs, outputs;
  std::vector<State> states;
  std::vector<Accumulator> accumulators;  ///< of tensors whose sums have less than 32 bits

  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
  [[nodiscard]] Tensor& tensor(TensorId id) { return tensors[id.index()]; }
  [[nodiscard]] const Op& op(OpId id) const { return ops[id.index()]; }
  bool operator==(const Graph&) const = default;
};

/// What a tensor holds that is zero everywhere: of int8 its zero point, of all others zeros.
[[nodiscard]] Bytes zero_bytes(const Tensor& tensor);
/// producer[t]: the operator that computes tensor t, or an invalid id for constants and inputs.
[[nodiscard]] std::vector<OpId> producers(const Graph& graph);
/// consumers[t]: the operators that read tensor t, ascending, each once.
[[nodiscard]] std::vector<std::vector<OpId>> consumers(const Graph& graph);
/// Whether a tensor is weights of int8 that operand k of an operator of float32 may be ("hybrid"):
/// a constant with one scale, or one for each output channel (LSTM: for each gate), and one zero
/// point. Each weight is dequantised where it is read, to scale * (weight - zero point).
[[nodiscard]] bool is_hybrid(const Attributes& attributes, size_t k, const Tensor& tensor);
/// Whether all operands and outputs are float32, but for hybrid weights.
[[nodiscard]] bool is_float32(const Graph& graph, const Op& op);
/// The accumulator of a tensor's sums; null: they have 32 bits, which is exact.
[[nodiscard]] const Accumulator* find_accumulator(const Graph& graph, TensorId tensor);
/// The type of one element of a tensor's sums.
[[nodiscard]] DType accumulator_type(const Graph& graph, TensorId tensor);
[[nodiscard]] Graph with_accumulators(Graph graph, std::vector<Accumulator> accumulators);
/// Empty, or what is wrong with Graph::accumulators. A list read from a file must pass before
/// anything else touches it.
[[nodiscard]] std::string accumulator_fault(const Graph& graph);
/// The extents of axes in another order, which has them all.
[[nodiscard]] Shape in_order(const Shape& shape, const std::vector<int>& order);
/// Whether it is that of one image (1 x rows x columns x channels) or one sequence (1 x rows x
/// channels).
[[nodiscard]] bool has_rows(const Shape& shape);
/// The shape as the caller has it.
[[nodiscard]] Shape caller_shape(const Graph& graph, const Port& port);
/// "CONV_2D #3" (number in the file), for messages and reports.
[[nodiscard]] std::string label(const Op& op);
/// Throws InternalError unless ids are in range, each tensor has one producer, operators stand in
/// an executable order, constants have their size, and accumulators no fault.
void check_graph(const Graph& graph);

}  // namespace thimble
