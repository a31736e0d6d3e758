// SPDX-License-Identifier: Apache-2.0
// Sequences whose length is known: lists of values, of which nothing is left in the network.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

using List = std::vector<Value>;

const List& list_of(const Reading& r) {
  const Value& value = r.input(0);
  if (value.list == nullptr) r.node.damaged("its input is no sequence");
  return *value.list;
}

Value as_value(List list) { return {.list = std::make_shared<const List>(std::move(list))}; }

/// Input k as a place among `count`, negative ones counted from the end of `length`; `otherwise` if
/// it is absent.
size_t place(const Reading& r, size_t k, size_t count, size_t length, size_t otherwise) {
  if (!r.has(k)) return otherwise;
  const int64_t given = one_whole(r.node, r.constant(k, "a position"), "a position");
  const auto all = static_cast<int64_t>(count);
  const int64_t at = given < 0 ? given + static_cast<int64_t>(length) : given;
  if (at < 0 || at >= all) r.node.damaged(fmt::format("position {} of {}", given, count));
  return static_cast<size_t>(at);
}

void empty(Reading& r) { r.make(0, as_value({})); }

/// Input k, to be one of a list.
const Value& element(const Reading& r, size_t k) {
  if (r.input(k).list != nullptr) r.node.damaged("sequences of sequences");
  return r.input(k);
}

void construct(Reading& r) {
  List list;
  for (size_t k = 0; k < r.input_count(); ++k) list.push_back(element(r, k));
  r.make(0, as_value(std::move(list)));
}

void insert(Reading& r) {
  List list = list_of(r);
  const size_t at = place(r, 2, list.size() + 1, list.size(), list.size());
  list.insert(list.begin() + static_cast<ptrdiff_t>(at), element(r, 1));
  r.make(0, as_value(std::move(list)));
}

void erase(Reading& r) {
  List list = list_of(r);
  if (list.empty()) r.node.damaged("its sequence is empty");
  list.erase(list.begin() +
             static_cast<ptrdiff_t>(place(r, 1, list.size(), list.size(), list.size() - 1)));
  r.make(0, as_value(std::move(list)));
}

void at(Reading& r) {
  const List& list = list_of(r);
  r.make(0, list.at(place(r, 1, list.size(), list.size(), list.size())));
}

void length(Reading& r) {
  r.make(0, r.known(constant_of(Shape{}, std::vector<int64_t>{std::ssize(list_of(r))})));
}

Value with_extent_of_one(const Value& x, size_t axis) {
  Shape shape = x.shape;
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), 1);
  return in_shape(x, std::move(shape));
}

void concat(Reading& r) {
  List list = list_of(r);
  if (list.empty()) r.node.damaged("its sequence is empty");
  const bool stacks = r.node.whole("new_axis", 0) != 0;
  const size_t axis = r.node.axis(r.node.whole("axis", 0), list[0].rank() + (stacks ? 1 : 0));
  const size_t rank = list[0].rank();
  for (Value& value : list) {
    if (value.rank() != rank) r.node.damaged("values of other axes");
    if (stacks) value = with_extent_of_one(value, axis);
  }
  r.make(0, list.size() == 1 ? list[0] : joined_along(r, list, axis));
}

void split(Reading& r) {
  constexpr int64_t kMost = 1024;
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  const int64_t extent = x.shape[axis];
  std::vector<int64_t> extents(static_cast<size_t>(std::clamp<int64_t>(extent, 0, kMost)), 1);
  if (r.has(1)) {
    const Constant& given = r.constant(1, "parts");
    extents = wholes(given);
    if (given.shape.empty() && extents[0] > 0) {  // of so many each, and what is left
      const int64_t each = extents[0];
      extents.assign(static_cast<size_t>(std::min(extent / each, kMost)), each);
      if (extent % each != 0) extents.push_back(extent % each);
    }
  }
  const auto is_part = [&](int64_t e) { return e > 0 && e <= extent; };
  if (std::ssize(extents) > kMost || !std::ranges::all_of(extents, is_part) ||
      std::accumulate(extents.begin(), extents.end(), int64_t{0}) != extent)
    r.node.refuse(
        fmt::format("is not supported like this: its parts are not {} indices, of up to "
                    "{} parts",
                    extent, kMost));
  List list;
  int64_t begin = 0;
  for (const int64_t part : extents) {
    std::vector<int64_t> positions(static_cast<size_t>(part));
    std::iota(positions.begin(), positions.end(), begin);
    begin += part;
    list.push_back(taken(r, x, axis, positions));
    if (r.has(1) || r.node.whole("keepdims", 1) != 0) continue;
    Shape shape = list.back().shape;
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
    list.back() = in_shape(list.back(), std::move(shape));
  }
  r.make(0, as_value(std::move(list)));
}

}  // namespace

const ReadNodes& sequence_operators() {
  static const ReadNodes all = {{"SequenceEmpty", empty},
                                {"SequenceConstruct", construct},
                                {"SequenceInsert", insert},
                                {"SequenceErase", erase},
                                {"SequenceAt", at},
                                {"SequenceLength", length},
                                {"ConcatFromSequence", concat},
                                {"SplitToSequence", split}};
  return all;
}

}  // namespace thimble::onnx
