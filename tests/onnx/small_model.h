// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for tests, built from literals. Names are literals, too: they are not copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/onnx/proto.h"

namespace thimble::onnx {

/// Attributes go to the last node.
class SmallModel {
 public:
  explicit SmallModel(int64_t opset = 17) { model.opsets = {{"", opset}}; }

  SmallModel& input(std::string_view name, ElementType type, const Shape& shape);
  SmallModel& output(std::string_view name, ElementType type = ElementType::kUndefined);
  SmallModel& node(std::string_view op, std::vector<std::string_view> inputs,
                   std::vector<std::string_view> outputs);
  SmallModel& whole(std::string_view name, int64_t value);
  SmallModel& wholes(std::string_view name, std::vector<int64_t> values);
  SmallModel& text(std::string_view name, std::string_view value);
  SmallModel& texts(std::string_view name, std::vector<std::string_view> values);
  template <class T>
  SmallModel& constant(std::string_view name, ElementType type, const Shape& shape,
                       const std::vector<T>& values) {
    return constant_of_bytes(name, type, shape,
                             {reinterpret_cast<const uint8_t*>(values.data()),
                              reinterpret_cast<const uint8_t*>(values.data() + values.size())});
  }
  SmallModel& ones(std::string_view name, const Shape& shape);

  /// What is read of it; nothing is refused.
  [[nodiscard]] Graph graph() const;
  /// The message that refuses it; "" if it is taken.
  [[nodiscard]] std::string refusal() const;
  /// What the reference makes of inputs, output by output.
  template <class T>
  [[nodiscard]] std::vector<T> run(const Bytes& input, size_t output = 0) const {
    const Bytes made = bytes_made(input, output);
    const T* const begin = reinterpret_cast<const T*>(made.data());
    return {begin, begin + made.size() / sizeof(T)};
  }

  ModelRecord model;

 private:
  SmallModel& constant_of_bytes(std::string_view name, ElementType type, const Shape& shape,
                                Bytes bytes);
  [[nodiscard]] Bytes bytes_made(const Bytes& input, size_t output) const;
};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

}  // namespace thimble::onnx
