// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/c_helpers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "thimble/emit/licence.h"
#include "thimble/emit/names.h"

namespace thimble {
namespace {

constexpr int kPixels = 256;

struct Range {
  int32_t least = 0, most = 0;
};

// The range of a type that reals are quantised to; nothing: another type.
std::optional<Range> range_of(DType type) {
  switch (type) {
    case DType::kInt8:
      return Range{-128, 127};
    case DType::kUInt8:
      return Range{0, 255};
    case DType::kInt16:
      return Range{-32768, 32767};
    default:
      return std::nullopt;
  }
}

bool rounds(const HeaderPort& port) { return port.quantized() && range_of(port.tensor.type); }

// As the emitted function does.
int32_t quantized(float real, const HeaderPort& port, const Range& range) {
  const float value = std::round(real / port.scale()) + static_cast<float>(port.zero_point());
  return static_cast<int32_t>(
      std::clamp(value, static_cast<float>(range.least), static_cast<float>(range.most)));
}

// What a pixel becomes if each of the 256 has a value of its own, in order.
std::string shifted_pixel(DType type) {
  return type == DType::kInt8 ? "(int8_t)(pixel - 128)" : "pixel";
}

bool is_byte(DType type) { return type == DType::kInt8 || type == DType::kUInt8; }

// Whether (pixel - mean) / std gives just that.
bool shifts(const HeaderPort& port, float mean, float std, const Range& range) {
  if (!is_byte(port.tensor.type)) return false;
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    const float real = (static_cast<float>(pixel) - mean) / std;
    if (quantized(real, port, range) != range.least + pixel) return false;
  }
  return true;
}

// Reals that pixels usually are: 0 to 1, -1 to 1, 0 to 255, -128 to 127. Values that cover one of
// these, within a hundredth of its length, stand for pixels one by one.
bool covers_pixels(const HeaderPort& port, const Range& range) {
  if (!is_byte(port.tensor.type) || !port.quantized()) return false;
  const float low = port.scale() * static_cast<float>(range.least - port.zero_point());
  const float high = port.scale() * static_cast<float>(range.most - port.zero_point());
  constexpr float kNear = 0.01F;
  for (const auto& [begin, end] :
       {std::pair{0.0F, 1.0F}, {-1.0F, 1.0F}, {0.0F, 255.0F}, {-128.0F, 127.0F}}) {
    const float slack = kNear * (end - begin);
    if (std::abs(low - begin) <= slack && std::abs(high - end) <= slack) return true;
  }
  return false;
}

std::string quantize_text(const HeaderPort& port) {
  const char* const type = c_type(port.tensor.type);
  const std::string name = port.function("quantize");
  if (port.tensor.type == DType::kFloat32)
    return fmt::format("static inline float {}(float real) {{ return real; }}\n", name);
  const Range range = *range_of(port.tensor.type);
  return fmt::format(
      "/* A real as a value of '{0}': to the nearest, halves away from 0, within the type's range; "
      "of NaN\n   the zero point. */\n"
      "static inline {1} {2}(float real) {{\n"
      "  return ({1})(thimble_rounded(real / {3}_SCALE, {4} - {3}_ZERO_POINT,\n"
      "      {5} - {3}_ZERO_POINT) + {3}_ZERO_POINT);\n}}\n",
      comment_text(port.tensor.name), type, name, port.macro, range.least, range.most);
}

// A function for all pixels beside that for one.
std::string pixels_text(const HeaderPort& port, const std::string& statement,
                        const std::string& before = "") {
  return fmt::format(
      "static inline void {0}(const uint8_t* pixels, {1}* values, int32_t count) {{\n{2}"
      "  for (int32_t k = 0; k < count; ++k) values[k] = {3};\n}}\n",
      port.function("quantize_pixels"), c_type(port.tensor.type), before, statement);
}

std::string one_pixel(const HeaderPort& port, const std::string& value) {
  return fmt::format("static inline {} {}(uint8_t pixel) {{ return {}; }}\n",
                     c_type(port.tensor.type), port.function("quantize_u8"), value);
}

std::string by_mean(const HeaderPort& port) {
  return one_pixel(port, fmt::format("{0}(((float)pixel - {1}_PIXEL_MEAN) / {1}_PIXEL_STD)",
                                     port.function("quantize"), port.macro));
}

std::string each_pixel(const HeaderPort& port) {
  return pixels_text(port, port.function("quantize_u8") + "(pixels[k])");
}

// As the model's file says.
std::string known_pixels(const HeaderPort& port, const PixelMeaning& pixels) {
  const auto same = [](const std::vector<float>& of) {
    return std::ranges::all_of(of, [&](float x) { return x == of[0]; });
  };
  if (same(pixels.mean) && same(pixels.std)) {
    const float mean = pixels.mean[0], std = pixels.std[0];
    const std::optional<Range> range = range_of(port.tensor.type);
    return fmt::format(
               "/* The model's file says that the pixel p, 0 to 255, is the real (p - {1}) / {2}. "
               "*/\n#define {0}_PIXEL_MEAN {1}\n#define {0}_PIXEL_STD {2}\n",
               port.macro, float_literal(mean), float_literal(std)) +
           (range && shifts(port, mean, std, *range)
                ? one_pixel(port, shifted_pixel(port.tensor.type))
                : by_mean(port)) +
           each_pixel(port);
  }
  std::vector<std::string> mean, std;
  for (const float x : pixels.mean) mean.push_back(float_literal(x));
  for (const float x : pixels.std) std.push_back(float_literal(x));
  const size_t channels = std::max(mean.size(), std.size());
  return "/* As the model's file says: (p - mean) / std, by channel; the first pixel's first "
         "channel comes first. */\n" +
         pixels_text(
             port,
             fmt::format("{}(((float)pixels[k] - mean[k % {}]) / std[k % {}])",
                         port.function("quantize"), mean.size(), std.size()),
             fmt::format("  static const float mean[{}] = {{{}}}, std[{}] = {{{}}}; /* of {} "
                         "channels */\n",
                         mean.size(), fmt::join(mean, ", "), std.size(), fmt::join(std, ", "),
                         channels));
}

std::string pixel_text(const HeaderPort& port, const PixelMeaning& pixels) {
  const bool in_order = port.port.order.empty();
  const bool one = pixels.mean.size() <= 1 && pixels.std.size() <= 1;
  if (!pixels.mean.empty() && !pixels.std.empty() && (one || in_order))
    return known_pixels(port, pixels);
  const std::optional<Range> range = range_of(port.tensor.type);
  const bool covers = range && covers_pixels(port, *range);
  if (!covers && port.tensor.shape.size() != kKernelAxes) return "";  // hardly a picture
  std::string text = fmt::format(
      "/* Define {0}_PIXEL_MEAN and {0}_PIXEL_STD (floats) before this header where the pixel p, 0 "
      "to 255, is\n   the real (p - mean) / std. ",
      port.macro);
  const std::string opening = fmt::format("#ifdef {}_PIXEL_STD\n", port.macro);
  if (covers) {
    return text +
           fmt::format("Else the 256 values are the 256 pixels in order: 0 is {}, 255 is {}. */\n",
                       port.scale() * static_cast<float>(range->least - port.zero_point()),
                       port.scale() * static_cast<float>(range->most - port.zero_point())) +
           opening + by_mean(port) + "#else\n" + one_pixel(port, shifted_pixel(port.tensor.type)) +
           "#endif\n" + each_pixel(port);
  }
  return text + "The model does not say; nothing is assumed. */\n" + opening + by_mean(port) +
         each_pixel(port) + "#endif\n";
}

// As a string literal of C.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte < 0x7F && c != '"' && c != '\\' && c != '?';
    result += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return result + "\"";
}

}  // namespace

std::string input_helpers(const HeaderPort& port, const PixelMeaning& pixels) {
  if (!rounds(port) && port.tensor.type != DType::kFloat32) return "";
  return quantize_text(port) + pixel_text(port, pixels);
}

std::string output_helpers(const HeaderPort& port) {
  std::string text;
  const char* const type = c_type(port.tensor.type);
  const std::string dequantize = port.function("dequantize");
  if (port.tensor.type == DType::kFloat32) {
    text += fmt::format("static inline float {}(float value) {{ return value; }}\n", dequantize);
  } else if (rounds(port)) {
    text += fmt::format(
        "/* The real that a value of '{0}' stands for. */\n"
        "static inline float {1}({2} value) {{ return (float)(value - {3}_ZERO_POINT) * {3}_SCALE; "
        "}}\n",
        comment_text(port.tensor.name), dequantize, type, port.macro);
  }
  if (port.classes() == 0 || port.memory == kStream) return text;
  return text + fmt::format(
                    "#define {0}_CLASSES {1}\n"
                    "/* The numbers of the k largest of the {1} values, the largest first, equal "
                    "ones in order. Returns how\n   many there are: k, or {1}. */\n"
                    "static inline int32_t {2}(const {3}* values, int32_t k, int32_t* classes) {{\n"
                    "  int32_t count = 0;\n"
                    "  for (int32_t c = 0; c < {0}_CLASSES; ++c) {{\n"
                    "    int32_t at = count;\n"
                    "    for (; at > 0 && values[c] > values[classes[at - 1]]; --at) {{\n"
                    "      if (at < k) classes[at] = classes[at - 1];\n    }}\n"
                    "    if (at < k) classes[at] = c;\n"
                    "    if (count < k) ++count;\n  }}\n"
                    "  return count;\n}}\n",
                    port.macro, port.classes(), port.function("top_k"), type);
}

std::string shared_helpers(const std::vector<HeaderPort>& inputs) {
  if (!std::ranges::any_of(inputs, rounds)) return "";
  return "#ifndef THIMBLE_ROUNDED\n#define THIMBLE_ROUNDED\n"
         "/* To the nearest, halves away from 0, from least to most; of NaN 0. */\n"
         "static inline int32_t thimble_rounded(float x, int32_t least, int32_t most) {\n"
         "  int32_t whole = 0;\n  float rest;\n"
         "  if (x >= (float)most) return most;\n"
         "  if (x <= (float)least) return least;\n"
         "  if (x != x) return 0;\n"
         "  whole = (int32_t)x;\n  rest = x - (float)whole;\n"
         "  if (rest >= 0.5f) return whole + 1;\n"
         "  return rest <= -0.5f ? whole - 1 : whole;\n}\n#endif\n";
}

std::string label_declaration(const EmitOptions& options) {
  if (options.labels.empty()) return "";
  return fmt::format(
      "\n/* What a class is called, in UTF-8, by its number below {1}_LABELS; of other numbers "
      "\"\". "
      "*/\n#define {1}_LABELS {2}\nconst char* {0}_label(int32_t number);\n",
      options.name, upper(options.name), options.labels.size());
}

EmittedFile labels_file(const EmitOptions& options) {
  std::string text = licence_lines("// ");
  text += fmt::format(
      "// {0}_labels.cc: generated by thimble {1}. Do not edit.\n#include \"{0}.h\"\n\n"
      "const char* {0}_label(int32_t number) {{\n"
      "  static const char* const labels[{2}_LABELS] = {{\n",
      options.name, options.version, upper(options.name));
  for (const std::string& label : options.labels) text += "      " + quoted(label) + ",\n";
  return {options.name + "_labels.cc",
          text + fmt::format("  }};\n  return number >= 0 && number < {}_LABELS ? labels[number] : "
                             "\"\";\n}}\n",
                             upper(options.name))};
}

}  // namespace thimble
