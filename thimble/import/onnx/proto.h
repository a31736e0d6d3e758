// SPDX-License-Identifier: Apache-2.0
// What an .onnx file says, as plain values: views into its bytes, which a caller keeps. proto.cc
// alone knows that these are protobuf (onnx.proto of IR version 13), and that no length, number or
// text in them is to be believed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::onnx {

/// TensorProto.DataType
enum class ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3Fn = 17,
  kFloat8E4M3Fnuz = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2Fnuz = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
};
[[nodiscard]] const char* name(ElementType type);  ///< "FLOAT16"; "?" for one that is not known
/// Bits of an element; 0: it has no size.
[[nodiscard]] int element_bits(ElementType type);

/// Values in a file of their own, beside the model.
struct External {
  std::string_view location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

struct TensorRecord {
  std::string_view name;
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> dims;
  std::span<const uint8_t> raw;  ///< little-endian, row-major
  Bytes typed;                   ///< the same of a file that has a field per type
  std::optional<External> external;

  [[nodiscard]] std::span<const uint8_t> bytes() const { return typed.empty() ? raw : typed; }
};

/// An extent that is open has a name, which may be empty, or is -1.
struct Dimension {
  int64_t extent = -1;
  std::string_view name;
};

/// An input, output or value of a graph, as far as the file says what it is.
struct ValueRecord {
  std::string_view name;
  bool is_tensor = false;
  ElementType type = ElementType::kUndefined;
  std::optional<std::vector<Dimension>> dims;  ///< nothing: any rank
};

struct GraphRecord;

/// AttributeProto.AttributeType
enum class AttributeKind : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

struct AttributeRecord {
  std::string_view name;
  std::string_view refers_to;  ///< within a function: the attribute of its caller
  AttributeKind kind = AttributeKind::kUndefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<TensorRecord> tensors;  ///< of kTensor one
  std::vector<GraphRecord> graphs;    ///< of kGraph one
};

struct NodeRecord {
  std::string_view op, domain, name, overload;
  std::vector<std::string_view> inputs, outputs;  ///< "": absent
  std::vector<AttributeRecord> attributes;

  [[nodiscard]] const AttributeRecord* attribute(std::string_view name) const;  ///< null: none
};

struct GraphRecord {
  std::string_view name;
  std::vector<NodeRecord> nodes;
  std::vector<TensorRecord> initializers;
  std::vector<std::string_view> sparse_initializers;  ///< their names
  std::vector<ValueRecord> inputs, outputs, values;
};

struct Opset {
  std::string_view domain;
  int64_t version = 0;
};

struct FunctionRecord {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<AttributeRecord> defaults;
  std::vector<NodeRecord> nodes;
  std::vector<Opset> opsets;
};

struct ModelRecord {
  int64_t ir_version = 0;
  std::vector<Opset> opsets;
  std::string_view producer, producer_version;
  GraphRecord graph;
  std::vector<FunctionRecord> functions;
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
};

/// Throws CompileError, in the name of `where`, for what is no well-formed ONNX model.
[[nodiscard]] ModelRecord read_model(std::span<const uint8_t> bytes, const std::string& where);
/// A tensor in a file of its own, as test data come.
[[nodiscard]] TensorRecord read_tensor(std::span<const uint8_t> bytes, const std::string& where);

}  // namespace thimble::onnx
