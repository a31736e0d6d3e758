// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {
namespace {

const AttributeRecord* of_kind(const Node& node, std::string_view name, AttributeKind kind) {
  const AttributeRecord* attribute = node.attribute(name);
  // Before IR 2 the kind was left out.
  if (attribute != nullptr && attribute->kind != kind &&
      attribute->kind != AttributeKind::kUndefined)
    node.damaged(
        fmt::format("its attribute '{}' is of another kind", printable(std::string(name))));
  return attribute;
}

}  // namespace

const AttributeRecord* Node::attribute(std::string_view name) const {
  const AttributeRecord* found = record->attribute(name);
  if (found == nullptr || found->refers_to.empty()) return found;
  if (of_call == nullptr) damaged("its attribute is one of a call, and it is in no function");
  const auto given = of_call->find(found->refers_to);
  return given == of_call->end() ? nullptr : given->second;
}

int64_t Node::whole(std::string_view name, int64_t otherwise) const {
  const AttributeRecord* given = of_kind(*this, name, AttributeKind::kInt);
  return given == nullptr ? otherwise : given->i;
}

float Node::real(std::string_view name, float otherwise) const {
  const AttributeRecord* given = of_kind(*this, name, AttributeKind::kFloat);
  return given == nullptr ? otherwise : given->f;
}

std::string Node::text(std::string_view name, std::string otherwise) const {
  const AttributeRecord* given = of_kind(*this, name, AttributeKind::kString);
  return given == nullptr ? std::move(otherwise) : std::string(given->s);
}

std::vector<int64_t> Node::wholes(std::string_view name, std::vector<int64_t> otherwise) const {
  const AttributeRecord* given = of_kind(*this, name, AttributeKind::kInts);
  return given == nullptr ? std::move(otherwise) : given->ints;
}

std::vector<float> Node::reals(std::string_view name) const {
  const AttributeRecord* given = of_kind(*this, name, AttributeKind::kFloats);
  return given == nullptr ? std::vector<float>() : given->floats;
}

size_t Node::axis(int64_t axis, size_t rank) const {
  const auto extents = static_cast<int64_t>(rank);
  if (axis < -extents || axis >= extents)
    damaged(fmt::format("axis {} of a value with {}", axis, rank));
  return static_cast<size_t>(axis < 0 ? axis + extents : axis);
}

std::vector<int> Node::axes(std::vector<int64_t> given, size_t rank) const {
  std::vector<int> result;
  for (const int64_t a : given) result.push_back(static_cast<int>(axis(a, rank)));
  std::ranges::sort(result);
  if (std::ranges::adjacent_find(result) != result.end()) damaged("an axis is named twice");
  return result;
}

void Node::refuse(const std::string& reason) const { throw Refusal(where, reason, Help::kNone); }

void Node::damaged(const std::string& what) const { throw Damage(where, what); }

Shape broadcast(const Node& node, const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t k = 0; k < result.size(); ++k) {
    const int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1;
    const int64_t y = k < b.size() ? b[b.size() - 1 - k] : 1;
    if (x != y && x != 1 && y != 1)
      node.damaged(fmt::format("{} and {} do not go together", to_string(a), to_string(b)));
    result[result.size() - 1 - k] = x == 1 ? y : x;
  }
  return result;
}

}  // namespace thimble::onnx
