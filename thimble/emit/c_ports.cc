// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/c_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "thimble/emit/caller.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

std::vector<HeaderPort> header_ports(const Graph& graph, const Program& program,
                                     const std::string& name, const char* what,
                                     const std::vector<ProgramPort>& ports) {
  std::vector<HeaderPort> result;
  for (size_t k = 0; k < ports.size(); ++k) {
    const std::string full = name + "_" + port_label(what, k, ports.size());
    result.push_back({.port = ports[k],
                      .tensor = graph.tensor(ports[k].tensor),
                      .memory = program.memory_of(ports[k].buffer),
                      .project = name,
                      .name = full,
                      .macro = upper(full),
                      .number = ports.size() == 1 ? "" : fmt::format("_{}", k)});
  }
  return result;
}

const char* type_macro(DType type) {
  switch (type) {
    case DType::kInt8:
      return "THIMBLE_TYPE_INT8";
    case DType::kUInt8:
      return "THIMBLE_TYPE_UINT8";
    case DType::kInt16:
      return "THIMBLE_TYPE_INT16";
    case DType::kInt32:
      return "THIMBLE_TYPE_INT32";
    case DType::kUInt32:
      return "THIMBLE_TYPE_UINT32";
    case DType::kInt64:
      return "THIMBLE_TYPE_INT64";
    case DType::kUInt64:
      return "THIMBLE_TYPE_UINT64";
    case DType::kFloat32:
      return "THIMBLE_TYPE_FLOAT32";
    case DType::kBool:
      return "THIMBLE_TYPE_BOOL";
  }
  throw InternalError("unknown DType");
}

// Extents of an image by name, if the caller has the tensor's own four axes in some order.
std::string image_macros(const HeaderPort& port) {
  const Shape& shape = port.tensor.shape;
  if (shape.size() != kKernelAxes) return "";
  Shape callers = shape;
  for (size_t k = 0; k < port.port.order.size(); ++k)
    callers[k] = shape[static_cast<size_t>(port.port.order[k])];
  if (callers != port.port.shape) return "";
  return fmt::format("#define {0}_HEIGHT {1}\n#define {0}_WIDTH {2}\n#define {0}_CHANNELS {3}\n",
                     port.macro, shape[1], shape[2], shape[3]);
}

}  // namespace

int64_t HeaderPort::classes() const {
  const auto longer = std::ranges::count_if(port.shape, [](int64_t extent) { return extent > 1; });
  return longer == 1 && tensor.type != DType::kBool ? elements(port.shape) : 0;
}

std::vector<HeaderPort> header_inputs(const Graph& graph, const Program& program,
                                      const std::string& name) {
  return header_ports(graph, program, name, "input", program.inputs);
}

std::vector<HeaderPort> header_outputs(const Graph& graph, const Program& program,
                                       const std::string& name) {
  return header_ports(graph, program, name, "output", program.outputs);
}

std::string upper(const std::string& name) {
  std::string result = name;
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string float_literal(float value) {
  std::string text = fmt::format("{:.9g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + "f)" : text + "f";
}

std::string number_literal(int64_t value) {
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string common_macros() {
  std::string text = "#ifndef THIMBLE_TYPE_INT8\n";
  int number = 0;
  for (const DType type :
       {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kUInt32, DType::kInt64,
        DType::kUInt64, DType::kFloat32, DType::kBool})
    text += fmt::format("#define {} {}\n", type_macro(type), ++number);
  return text +
         "#endif\n"
         "#ifndef THIMBLE_ALIGNED /* static THIMBLE_ALIGNED(16) uint8_t variable[64]; */\n"
         "#if defined(__GNUC__) || defined(__ICCARM__)\n"
         "#define THIMBLE_ALIGNED(bytes) __attribute__((aligned(bytes)))\n"
         "#elif defined(__cplusplus)\n#define THIMBLE_ALIGNED(bytes) alignas(bytes)\n"
         "#else\n#define THIMBLE_ALIGNED(bytes) _Alignas(bytes)\n#endif\n#endif\n";
}

std::string port_macros(const Graph& graph, const Program& program, const HeaderPort& port) {
  std::string text = fmt::format("#define {0}_TYPE {1}\n#define {0}_RANK {2}\n", port.macro,
                                 type_macro(port.tensor.type), port.port.shape.size());
  for (size_t k = 0; k < port.port.shape.size(); ++k)
    text += fmt::format("#define {}_DIM_{} {}\n", port.macro, k, port.port.shape[k]);
  text += image_macros(port);
  text += fmt::format("#define {}_ELEMENTS {}\n", port.macro, elements(port.tensor.shape));
  if (port.memory == kStream) {
    const StreamRows rows = stream_rows(graph, port.port);
    text += fmt::format(
        "#define {0}_ROWS {1}\n#define {0}_ROW_ELEMENTS {2}\n#define {0}_ROW_BYTES {3}\n",
        port.macro, rows.rows, rows.row_elements, rows.row_elements * size_bytes(port.tensor.type));
  } else {
    text += fmt::format("#define {}_BYTES {}\n", port.macro, port.port.size_bytes);
  }
  if (is_laid_out(port.memory))
    text += fmt::format("#define {}_OFFSET {}\n", port.macro, program.address(port.port.buffer));
  if (!port.tensor.quantization.scales.empty()) {
    text += fmt::format("#define {0}_SCALE {1}\n#define {0}_ZERO_POINT {2}\n", port.macro,
                        float_literal(port.scale()), number_literal(port.zero_point()));
  }
  return text;
}

}  // namespace thimble
