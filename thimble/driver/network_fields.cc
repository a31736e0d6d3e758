// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "thimble/driver/field_rows.h"

namespace thimble {
namespace {

/// "1x96x96x3", or a name, "=" and that; nothing: neither.
std::optional<NamedShape> named_shape(const std::string& text) {
  const size_t equals = text.rfind('=');
  NamedShape result;
  if (equals != std::string::npos) result.input = text.substr(0, equals);
  const char* at = text.data() + (equals == std::string::npos ? 0 : equals + 1);
  const char* const end = text.data() + text.size();
  while (true) {
    int32_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    const bool ends = next == end;
    if (error != std::errc() || extent < 1 || (!ends && *next != 'x') || equals == 0)
      return std::nullopt;
    result.shape.push_back(extent);
    if (ends) return result;
    at = next + 1;
  }
}

void set_shapes(Request& request, const FieldValue& value) {
  std::vector<NamedShape>& shapes = request.import.shapes;
  shapes.clear();
  for (const std::string& text : value.texts()) {
    const std::optional<NamedShape> shape = named_shape(text);
    if (!shape) {
      value.reject(
          fmt::format("'{}' is no shape; one is 1x96x96x3 or NAME=1x96x96x3, each extent "
                      "at least 1",
                      text));
    }
    if (std::ranges::find(shapes, shape->input, &NamedShape::input) != shapes.end()) {
      value.reject(fmt::format(
          "{} has two shapes; '{}' is the second",
          shape->input.empty() ? "the input" : fmt::format("'{}'", shape->input), text));
    }
    shapes.push_back(*shape);
  }
}

Texts shape_texts(const Request& request) {
  Texts texts;
  for (const NamedShape& shape : request.import.shapes) {
    texts.push_back(fmt::format("{}{}{}", shape.input, shape.input.empty() ? "" : "=",
                                fmt::join(shape.shape, "x")));
  }
  return texts;
}

Texts model_texts(const Request& request) {
  if (const auto* bytes = std::get_if<ModelBytes>(&request.model)) return {bytes->name};
  if (const auto* source = std::get_if<Source>(&request.model)) return {source->where};
  const auto& name = std::get<std::string>(request.model);
  return text_if(!name.empty(), name);
}

}  // namespace

std::vector<RequestField> network_fields() {
  using enum FieldForm;
  using enum FieldGroup;
  using R = Request;
  using V = FieldValue;
  static const R usual;
  return {
      {.name = "model",
       .option = "MODEL",
       .group = kModel,
       .form = kText,
       .help = "A .tflite or .onnx file, or zoo:NAME (see `thimble zoo`)",
       .set = [](R& r, const V& v) { r.model = v.text(); },
       .texts = model_texts},
      {.name = "until",
       .option = "--until",
       .group = kImport,
       .form = kTexts,
       .type = "TENSOR",
       .help = "Cut the network off behind this tensor, which becomes its output (its name, as "
               "`inspect` shows it and whole with --format csv, or its number in the file; may "
               "be given several times)",
       .set = [](R& r, const V& v) { r.import.until = v.texts(); },
       .texts = [](const R& r) { return r.import.until; }},
      {.name = "shape",
       .option = "--shape",
       .group = kImport,
       .form = kTexts,
       .type = "[INPUT=]SHAPE",
       .help = "Shape of an input, where the file leaves it open or has another: 1x96x96x3, or "
               "NAME=1x96x96x3 (may be given several times)",
       .set = set_shapes,
       .texts = shape_texts},
      {.name = "hop",
       .option = "--hop",
       .group = kImport,
       .form = kWhole,
       .type = "ROWS",
       .help = "The input is a window of time: the network keeps it, takes this many new rows at "
               "a time, and decides anew of all",
       .least = 1,
       .most = INT32_MAX,
       .set = [](R& r, const V& v) { r.import.hop.rows = v.whole().value_or(0); },
       .texts =
           [](const R& r) {
             const int64_t rows = r.import.hop.rows;
             return rows == 0 ? Texts() : number_texts<int64_t>(rows);
           }},
      {.name = "hop_axis",
       .option = "--hop-axis",
       .group = kImport,
       .form = kWhole,
       .type = "AXIS",
       .help = "With --hop: the axis of time (default: the first with an extent above 1)",
       .least = 0,
       .most = 3,
       .set = [](R& r, const V& v) { r.import.hop.axis = v.whole(); },
       .texts = [](const R& r) { return number_texts(r.import.hop.axis); }},
      {.name = "arithmetic",
       .option = "--arithmetic",
       .group = kImport,
       .form = kWord,
       .help =
           "How quantised operators of .onnx compute: onnx (default), as ONNX Runtime's kernels, "
           "tflite, within a step of it, without floats, float, as it is written",
       .words = {"onnx", "tflite", "float"},
       .set = [](R& r, const V& v) { r.import.quantised = static_cast<QuantisedAs>(v.word()); },
       .texts =
           [](const R& r) {
             const bool in_integers = r.import.quantised == QuantisedAs::kTflite;
             return text_if(r.import.quantised != QuantisedAs::kOnnx,
                            in_integers ? "tflite" : "float");
           }},
      {.name = "port_layout",
       .option = "--port-layout",
       .group = kImport,
       .form = kWord,
       .help = "nhwc: the caller has images of .onnx with their channels last",
       .words = {"model", "nhwc"},
       .set = [](R& r, const V& v) { r.import.port_layout = static_cast<PortLayout>(v.word()); },
       .texts =
           [](const R& r) {
             return text_if(r.import.port_layout == PortLayout::kChannelsLast, "nhwc");
           }},
      {.name = "rewrite",
       .option = "--no-rewrite",
       .group = kGraph,
       .form = kOff,
       .help = "Keep the graph as the file has it",
       .set = [](R& r, const V& v) { r.graph.rewrite = !v.given(); },
       .texts = [](const R& r) { return text_if(!r.graph.rewrite); }},
      {.name = "keep_channels",
       .option = "--keep-channels",
       .group = kGraph,
       .form = kOn,
       .help = "Compute channels that are the same for every input, too",
       .set = [](R& r, const V& v) { r.graph.keep_channels = v.given(); },
       .texts = [](const R& r) { return text_if(r.graph.keep_channels); }},
      {.name = "io_type",
       .option = "--io-type",
       .group = kGraph,
       .form = kWord,
       .help = "int8: drop a quantize or dequantize at the edge; the API then takes integers",
       .words = {"model", "int8"},
       .set = [](R& r, const V& v) { r.graph.int8_io = v.word() == 1; },
       .texts = [](const R& r) { return text_if(r.graph.int8_io, "int8"); }},
      {.name = "max_bytes",
       .option = "--max-bytes",
       .group = kGraph,
       .form = kSize,
       .type = "SIZE",
       .help = "Refuse a model or a plan with more bytes of activations than this (128M): checking "
               "it takes memory and time in proportion",
       .set = [](R& r,
                 const V& v) { r.graph.max_bytes = v.size().value_or(usual.graph.max_bytes); },
       .texts =
           [](const R& r) {
             const int64_t bytes = r.graph.max_bytes;
             return bytes == usual.graph.max_bytes ? Texts() : size_texts(bytes);
           }},
  };
}

}  // namespace thimble
