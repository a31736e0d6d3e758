// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "thimble/import/onnx/protozero.h"
#include "thimble/import/refusal.h"

namespace thimble::onnx {
namespace {

using Message = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;
using Entry = std::pair<std::string_view, std::string_view>;

/// Graphs within graphs (branches, loops); nobody writes them deeper.
constexpr int kMostDepth = 16;
constexpr size_t kMostNodes = 1'000'000, kMostDims = 64;

/// What is not right with the bytes; the reader adds the file's name.
struct Fault {
  std::string what;
};

std::string_view text(Message& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

template <class Number>
void append(Bytes& bytes, Number number) {
  const size_t begin = bytes.size();
  bytes.resize(begin + sizeof number);
  std::memcpy(bytes.data() + begin, &number, sizeof number);
}

// Repeated numbers come packed, or one by one.
template <class Take>
void numbers(Message& message, int64_t, Take take) {
  if (message.wire_type() != Wire::length_delimited) return take(message.get_int64());
  for (const int64_t value : message.get_packed_int64()) take(value);
}
template <class Take>
void numbers(Message& message, float, Take take) {
  if (message.wire_type() != Wire::length_delimited) return take(message.get_float());
  for (const float value : message.get_packed_float()) take(value);
}
template <class Take>
void numbers(Message& message, double, Take take) {
  if (message.wire_type() != Wire::length_delimited) return take(message.get_double());
  for (const double value : message.get_packed_double()) take(value);
}

Entry entry(Message message) {
  Entry result;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        result.first = text(message);
        break;
      case 2:
        result.second = text(message);
        break;
      default:
        message.skip();
    }
  }
  return result;
}

uint64_t whole_number(std::string_view digits) {
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end) throw Fault{"external data at no whole number"};
  return value;
}

void add_external(const Entry& entry, External& external) {
  if (entry.first == "location") external.location = entry.second;
  if (entry.first == "offset") external.offset = whole_number(entry.second);
  if (entry.first == "length") external.length = whole_number(entry.second);
}

TensorRecord tensor(Message message) {
  TensorRecord result;
  External external;
  bool is_external = false;
  std::vector<int64_t> int32s;  // of any type that has at most 32 bits
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        numbers(message, int64_t{}, [&](int64_t extent) {
          if (result.dims.size() >= kMostDims) throw Fault{"a tensor of more than 64 axes"};
          result.dims.push_back(extent);
        });
        break;
      case 2:
        result.type = static_cast<ElementType>(message.get_int32());
        break;
      case 3:
        throw Fault{"a tensor in segments, which nobody reads"};
      case 4:
        numbers(message, float{}, [&](float value) { append(result.typed, value); });
        break;
      case 5:
        numbers(message, int64_t{}, [&](int64_t value) { int32s.push_back(value); });
        break;
      case 7:
        numbers(message, int64_t{}, [&](int64_t value) { append(result.typed, value); });
        break;
      case 8:
        result.name = text(message);
        break;
      case 9:
        result.raw = bytes_of(text(message));
        break;
      case 10:
        numbers(message, double{}, [&](double value) { append(result.typed, value); });
        break;
      case 11:
        numbers(message, int64_t{}, [&](int64_t value) {
          if (result.type == ElementType::kUint32)
            append(result.typed, static_cast<uint32_t>(value));
          else
            append(result.typed, value);
        });
        break;
      case 13:
        add_external(entry(message.get_message()), external);
        break;
      case 14:
        is_external = message.get_int32() == 1;
        break;
      default:
        message.skip();
    }
  }
  // The type may stand behind the values.
  const int bits = element_bits(result.type);
  for (const int64_t value : int32s) {
    if (bits <= 8)
      append(result.typed, static_cast<uint8_t>(value));
    else if (bits == 16)
      append(result.typed, static_cast<uint16_t>(value));
    else
      append(result.typed, static_cast<int32_t>(value));
  }
  if (is_external) result.external = external;
  return result;
}

std::vector<Dimension> dimensions(Message message) {
  std::vector<Dimension> dims;
  while (message.next(1)) {
    if (dims.size() >= kMostDims) throw Fault{"a value of more than 64 axes"};
    Dimension& dim = dims.emplace_back();
    Message extent = message.get_message();
    while (extent.next()) {
      switch (extent.tag()) {
        case 1:
          dim.extent = extent.get_int64();
          break;
        case 2:
          dim.name = text(extent);
          break;
        default:
          extent.skip();
      }
    }
  }
  return dims;
}

void read_tensor_type(Message message, ValueRecord& value) {
  value.is_tensor = true;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        value.type = static_cast<ElementType>(message.get_int32());
        break;
      case 2:
        value.dims = dimensions(message.get_message());
        break;
      default:
        message.skip();
    }
  }
}

ValueRecord value_info(Message message) {
  ValueRecord result;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        result.name = text(message);
        break;
      case 2: {
        Message type = message.get_message();
        while (type.next(1)) read_tensor_type(type.get_message(), result);
        break;
      }
      default:
        message.skip();
    }
  }
  return result;
}

Opset opset(Message message) {
  Opset result;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        result.domain = text(message);
        break;
      case 2:
        result.version = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return result;
}

/// Messages that may hold one another.
class Nested {
 public:
  GraphRecord graph(Message message) {
    if (++depth_ > kMostDepth) throw Fault{"graphs in graphs, more than 16 deep"};
    GraphRecord result;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          result.nodes.push_back(node(message.get_message()));
          break;
        case 2:
          result.name = text(message);
          break;
        case 5:
          result.initializers.push_back(tensor(message.get_message()));
          break;
        case 11:
          result.inputs.push_back(value_info(message.get_message()));
          break;
        case 12:
          result.outputs.push_back(value_info(message.get_message()));
          break;
        case 13:
          result.values.push_back(value_info(message.get_message()));
          break;
        case 15: {
          Message sparse = message.get_message();
          while (sparse.next(1))
            result.sparse_initializers.push_back(tensor(sparse.get_message()).name);
          break;
        }
        default:
          message.skip();
      }
    }
    --depth_;
    return result;
  }

  FunctionRecord function(Message message) {
    FunctionRecord result;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          result.name = text(message);
          break;
        case 4:
          result.inputs.push_back(text(message));
          break;
        case 5:
          result.outputs.push_back(text(message));
          break;
        case 6:
          result.attributes.push_back(text(message));
          break;
        case 7:
          result.nodes.push_back(node(message.get_message()));
          break;
        case 9:
          result.opsets.push_back(opset(message.get_message()));
          break;
        case 10:
          result.domain = text(message);
          break;
        case 11:
          result.defaults.push_back(attribute(message.get_message()));
          break;
        case 13:
          result.overload = text(message);
          break;
        default:
          message.skip();
      }
    }
    return result;
  }

 private:
  NodeRecord node(Message message) {
    if (++nodes_ > kMostNodes) throw Fault{"more than a million nodes"};
    NodeRecord result;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          result.inputs.push_back(text(message));
          break;
        case 2:
          result.outputs.push_back(text(message));
          break;
        case 3:
          result.name = text(message);
          break;
        case 4:
          result.op = text(message);
          break;
        case 5:
          result.attributes.push_back(attribute(message.get_message()));
          break;
        case 7:
          result.domain = text(message);
          break;
        case 8:
          result.overload = text(message);
          break;
        default:
          message.skip();
      }
    }
    return result;
  }

  AttributeRecord attribute(Message message) {
    AttributeRecord result;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          result.name = text(message);
          break;
        case 2:
          result.f = message.get_float();
          break;
        case 3:
          result.i = message.get_int64();
          break;
        case 4:
          result.s = text(message);
          break;
        case 5:
        case 10:
          result.tensors.push_back(tensor(message.get_message()));
          break;
        case 6:
        case 11:
          result.graphs.push_back(graph(message.get_message()));
          break;
        case 7:
          numbers(message, float{}, [&](float value) { result.floats.push_back(value); });
          break;
        case 8:
          numbers(message, int64_t{}, [&](int64_t value) { result.ints.push_back(value); });
          break;
        case 9:
          result.strings.push_back(text(message));
          break;
        case 20:
          result.kind = static_cast<AttributeKind>(message.get_int32());
          break;
        case 21:
          result.refers_to = text(message);
          break;
        default:
          message.skip();
      }
    }
    return result;
  }

  int depth_ = 0;
  size_t nodes_ = 0;
};

ModelRecord model(Message message) {
  ModelRecord result;
  Nested nested;
  bool has_graph = false;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        result.ir_version = message.get_int64();
        break;
      case 2:
        result.producer = text(message);
        break;
      case 3:
        result.producer_version = text(message);
        break;
      case 7:
        if (std::exchange(has_graph, true)) throw Fault{"two graphs"};
        result.graph = nested.graph(message.get_message());
        break;
      case 8:
        result.opsets.push_back(opset(message.get_message()));
        break;
      case 14:
        result.metadata.push_back(entry(message.get_message()));
        break;
      case 25:
        result.functions.push_back(nested.function(message.get_message()));
        break;
      default:
        message.skip();
    }
  }
  if (!has_graph) throw Fault{"no graph"};
  return result;
}

// What `read` makes of the bytes; its faults in the name of the file.
template <class Read>
auto read_whole(std::span<const uint8_t> bytes, const std::string& where, Read read) {
  try {
    return read(Message(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } catch (const protozero::exception&) {
    throw Damage(where, "it is no ONNX model (protobuf), or cut off");
  } catch (const Fault& fault) {
    throw Damage(where, fault.what);
  }
}

}  // namespace

const char* name(ElementType type) {
  constexpr std::array kNames = {
      "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
      "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
      "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
      "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1"};
  const auto number = static_cast<size_t>(type);
  return number < kNames.size() ? kNames[number] : "?";
}

int element_bits(ElementType type) {
  switch (type) {
    case ElementType::kUint4:
    case ElementType::kInt4:
    case ElementType::kFloat4E2M1:
      return 4;
    case ElementType::kUint8:
    case ElementType::kInt8:
    case ElementType::kBool:
    case ElementType::kFloat8E4M3Fn:
    case ElementType::kFloat8E4M3Fnuz:
    case ElementType::kFloat8E5M2:
    case ElementType::kFloat8E5M2Fnuz:
      return 8;
    case ElementType::kUint16:
    case ElementType::kInt16:
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
      return 16;
    case ElementType::kFloat:
    case ElementType::kInt32:
    case ElementType::kUint32:
      return 32;
    case ElementType::kInt64:
    case ElementType::kUint64:
    case ElementType::kDouble:
    case ElementType::kComplex64:
      return 64;
    case ElementType::kComplex128:
      return 128;
    case ElementType::kUndefined:
    case ElementType::kString:
      return 0;
  }
  return 0;
}

const AttributeRecord* NodeRecord::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &AttributeRecord::name);
  return found == attributes.end() ? nullptr : &*found;
}

ModelRecord read_model(std::span<const uint8_t> bytes, const std::string& where) {
  return read_whole(bytes, where, [](Message message) { return model(message); });
}

TensorRecord read_tensor(std::span<const uint8_t> bytes, const std::string& where) {
  return read_whole(bytes, where, [](Message message) { return tensor(message); });
}

}  // namespace thimble::onnx
