// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/params.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "thimble/emit/emit.h"
#include "thimble/emit/names.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

// Collects "/*field=*/value" entries, one a line.
class Fields {
 public:
  explicit Fields(std::vector<std::string> pointers) : pointers_(std::move(pointers)) {}

  Fields& pointer(const char* field) {
    check(next_ < pointers_.size(), "params name more constants than there are");
    return add(field, pointers_[next_++]);
  }
  Fields& scales() {  // runtime::ChannelScales
    check(next_ + 1 < pointers_.size(), "params name more constants than there are");
    const std::string& multipliers = pointers_[next_++];
    const std::string& shifts = pointers_[next_++];
    return add("scales", fmt::format("{{{}, {}}}", multipliers, shifts));
  }
  Fields& number(const char* field, int64_t value) {
    return add(field, value == INT32_MIN ? "INT32_MIN" : fmt::format("{}", value));
  }
  Fields& four(const char* field, const int32_t (&v)[4]) {
    return add(field, fmt::format("{{{}, {}, {}, {}}}", v[0], v[1], v[2], v[3]));
  }
  Fields& two(const char* field, const int32_t (&v)[2]) {
    return add(field, fmt::format("{{{}, {}}}", v[0], v[1]));
  }
  Fields& scale(const char* field, const runtime::Scale& s) {
    return add(field, fmt::format("{{{}, {}}}", s.multiplier, s.shift));
  }
  Fields& pair(const char* field, const runtime::Scale (&s)[2]) {
    return add(field, fmt::format("{{{{{}, {}}}, {{{}, {}}}}}", s[0].multiplier, s[0].shift,
                                  s[1].multiplier, s[1].shift));
  }
  Fields& real(const char* field, float value) {  // hexadecimal: the very bits
    return add(field, fmt::format("{:a}f", value));
  }
  Fields& window(const runtime::Window2D& w) {
    return add("window", fmt::format("{{/*kernel=*/{}, {}, /*stride=*/{}, {}, /*dilation=*/{}, {}, "
                                     "/*pad top, left=*/{}, {}, /*in=*/{}, {}}}",
                                     w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h,
                                     w.dilation_w, w.pad_top, w.pad_left, w.in_h, w.in_w));
  }
  Fields& axis(const char* field, const runtime::LinearAxis& a) {
    return add(field, fmt::format("{{/*step=*/{}, /*offset=*/{}, /*in=*/{}}}", a.step, a.offset,
                                  a.in_extent));
  }
  Fields& clamps(int32_t low, int32_t high) {
    return number("clamp_min", low).number("clamp_max", high);
  }

  [[nodiscard]] std::string text() const { return text_; }

 private:
  Fields& add(const char* field, const std::string& value) {
    text_ += fmt::format("    /*{}=*/{},\n", field, value);
    return *this;
  }

  std::vector<std::string> pointers_;
  size_t next_ = 0;
  std::string text_;
};

struct Printer {
  Fields& f;

  void operator()(const std::monostate&) const {}
  void operator()(const runtime::Conv2DParams& p) const {
    f.pointer("weights").pointer("bias").scales().window(p.window);
    f.number("in_per_group", p.in_per_group).number("out_per_group", p.out_per_group);
    f.number("input_zero_point", p.input_zero_point)
        .number("output_zero_point", p.output_zero_point);
    f.clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::Conv2DNarrowParams& p) const {
    f.pointer("weights").pointer("bias").scales().window(p.window);
    f.number("in_channels", p.in_channels).number("input_zero_point", p.input_zero_point);
    f.number("accumulator_zero_point", p.accumulator_zero_point);
  }
  void operator()(const runtime::FullyConnectedParams& p) const {
    f.pointer("bias").scales().number("in_channels", p.in_channels);
    f.number("input_zero_point", p.input_zero_point);
    f.number("weights_zero_point", p.weights_zero_point);
    f.number("output_zero_point", p.output_zero_point);
    f.clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::BatchMatMulParams& p) const {
    f.number("depth", p.depth).two("zero_point", p.zero_point);
    f.number("output_zero_point", p.output_zero_point).scale("scale", p.scale);
  }
  void operator()(const runtime::DepthwiseConv2DParams& p) const {
    f.pointer("weights").pointer("bias").scales().window(p.window);
    f.number("out_channels", p.out_channels).number("multiplier", p.multiplier);
    f.number("input_zero_point", p.input_zero_point)
        .number("output_zero_point", p.output_zero_point);
    f.clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::Pool2DParams& p) const {
    f.window(p.window).clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::MeanParams& p) const {
    f.four("in_extent", p.in_extent).four("reduced", p.reduced).scale("scale", p.scale);
    f.number("input_zero_point", p.input_zero_point)
        .number("output_zero_point", p.output_zero_point);
  }
  void operator()(const runtime::SumParams& p) const {
    f.four("in_extent", p.in_extent).four("reduced", p.reduced).number("chunk_axis", p.chunk_axis);
  }
  void operator()(const runtime::AddParams& p) const {
    f.number("left_shift", p.left_shift).two("zero_point", p.zero_point);
    f.number("output_zero_point", p.output_zero_point);
    f.pair("scale", p.scale).scale("output_scale", p.output_scale).clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::MulParams& p) const {
    f.two("zero_point", p.zero_point).number("output_zero_point", p.output_zero_point);
    f.scale("output_scale", p.output_scale).clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::PadParams& p) const {
    f.four("before", p.before).four("in_extent", p.in_extent).number("value", p.value);
  }
  void operator()(const runtime::RescaleParams& p) const {
    f.scale("scale", p.scale).number("input_zero_point", p.input_zero_point);
    f.number("output_zero_point", p.output_zero_point).clamps(p.clamp_min, p.clamp_max);
  }
  void operator()(const runtime::ClampParams& p) const { f.clamps(p.clamp_min, p.clamp_max); }
  void operator()(const runtime::LookupParams&) const { f.pointer("table"); }
  void operator()(const runtime::FloatParams& p) const {
    f.real("scale", p.scale).number("zero_point", p.zero_point);
  }
  void operator()(const runtime::SoftmaxParams& p) const {
    f.scale("input_scale", p.input_scale)
        .number("diff_min", p.diff_min)
        .number("channels", p.channels);
  }
  void operator()(const runtime::ResizeNearestNeighborParams&) const {
    f.pointer("rows").pointer("columns");
  }
  void operator()(const runtime::ResizeBilinearParams& p) const {
    f.axis("rows", p.rows).axis("columns", p.columns);
  }
};

template <class T>
std::string elements_text(const Bytes& data) {
  std::string text;
  text.reserve(data.size() * 5 / sizeof(T) + 64);
  size_t column = 0;
  for (size_t at = 0; at < data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    char digits[24];
    char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    const auto length = static_cast<size_t>(end - digits) + 2;
    if (column + length > 99) {
      text.back() = '\n';
      column = 0;
    }
    text.append(digits, end).append(", ");
    column += length;
  }
  if (!text.empty()) text.back() = '\n';
  return text;
}

std::string int32_elements_text(const Bytes& data) {  // INT32_MIN has no literal
  std::string text = elements_text<int32_t>(data);
  const std::string lowest = "-2147483648";
  for (size_t at = text.find(lowest); at != std::string::npos; at = text.find(lowest, at)) {
    text.replace(at, lowest.size(), "INT32_MIN");
  }
  return text;
}

std::string float_elements_text(const Bytes& data) {
  std::string text;
  for (size_t at = 0; at < data.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, data.data() + at, sizeof(float));
    text += fmt::format("{:a}f,\n", value);
  }
  return text;
}

}  // namespace

std::string params_name(const ProgramParams& params) { return "k" + pascal(params.name); }

std::string params_text(const Program& program, const ProgramParams& params,
                        const std::string& data) {
  std::vector<std::string> pointers;
  for (int constant : params.constants) {
    pointers.push_back(data + "::" + program.constants[static_cast<size_t>(constant)].name);
  }
  Fields fields(std::move(pointers));
  std::visit(Printer{fields}, params.params);
  return fmt::format("const {} {}{{\n{}}};\n", info(params.kernel).params, params_name(params),
                     fields.text());
}

std::string constant_declaration(const ProgramConstant& constant) {
  const PackedConstant& content = constant.content;
  return fmt::format("const {} {}[{}]", c_type(content.type), constant.name,
                     static_cast<int64_t>(content.data.size()) / size_bytes(content.type));
}

std::string constant_elements(const ProgramConstant& constant) {
  const Bytes& data = constant.content.data;
  switch (constant.content.type) {
    case DType::kInt8:
      return elements_text<int8_t>(data);
    case DType::kBool:
    case DType::kUInt8:
      return elements_text<uint8_t>(data);
    case DType::kInt16:
      return elements_text<int16_t>(data);
    case DType::kInt32:
      return int32_elements_text(data);
    case DType::kInt64:
      break;
    case DType::kFloat32:
      return float_elements_text(data);
  }
  throw InternalError("no kernel takes constants of this type");
}

}  // namespace thimble
