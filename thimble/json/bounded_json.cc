// SPDX-License-Identifier: Apache-2.0
#include "thimble/json/bounded_json.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

namespace thimble {
namespace {

using Json = nlohmann::json;

/// Builds the value from the parser's events. The parser's own callbacks look through a whole
/// object at the end of each of its members.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(int max_depth) : max_depth_(max_depth) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const auto [member, added] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!added) throw std::invalid_argument(fmt::format("the key '{}' stands there twice", name));
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    throw std::invalid_argument(error.what());
  }

 private:
  // Members of objects and the last element of an array stay where they are while they are open.
  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_object()) return &(*member_ = std::move(value));
    auto& elements = open_.back()->get_ref<Json::array_t&>();
    elements.push_back(std::move(value));
    return &elements.back();
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (std::ssize(open_) >= max_depth_)
      throw std::invalid_argument(fmt::format("nested more than {} deep", max_depth_));
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const int max_depth_;
  Json root_;
  std::vector<Json*> open_;  ///< arrays and objects, outermost first
  Json* member_ = nullptr;   ///< whose key was read last
};

}  // namespace

Json parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw std::invalid_argument(
        fmt::format("{} bytes of text, more than {}", text.size(), limits.bytes));
  }
  // Where the parser would stop, and leave the rest unread.
  if (text.find('\0') != std::string_view::npos) throw std::invalid_argument("a byte is zero");
  Builder builder(limits.depth);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace thimble
