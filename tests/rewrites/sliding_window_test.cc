// SPDX-License-Identifier: Apache-2.0
// A network that slides over a stream decides at each hop what the network of the whole window
// decides of the rows that came last.
#include "thimble/rewrites/sliding_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Bytes> outputs_of(const Graph& graph, const TensorValues& values) {
  std::vector<Bytes> result;
  for (const Port& port : graph.outputs)
    result.push_back(to_port(graph, port, values[port.tensor.index()]));
  return result;
}

/// Runs of bytes in front of the axis of time, and the bytes of a row in each.
struct Layout {
  int64_t outer, row;
};

Layout layout_of(const Tensor& input, size_t axis) {
  const auto at = input.shape.begin() + static_cast<int64_t>(axis);
  return {elements(Shape(input.shape.begin(), at)),
          elements(Shape(at + 1, input.shape.end())) * size_bytes(input.type)};
}

/// Rows [begin, begin + count) of a stream, of which negative ones are zero.
Bytes rows_of(const Bytes& stream, const Bytes& zero_row, Layout layout, int64_t begin,
              int64_t count) {
  const auto stream_rows = static_cast<int64_t>(stream.size()) / (layout.outer * layout.row);
  Bytes result;
  for (int64_t o = 0; o < layout.outer; ++o) {
    for (int64_t r = begin; r < begin + count; ++r) {
      const auto at =
          r < 0 ? zero_row.begin() : stream.begin() + (o * stream_rows + r) * layout.row;
      result.insert(result.end(), at, at + layout.row);
    }
  }
  return result;
}

/// whole: its only input may be a list of what `slid` has as rows.
void expect_same_decisions(const Graph& whole, const Hop& hop, size_t axis) {
  const Graph slid = sliding_window(whole, hop);
  check_graph(slid);
  const Tensor& input = slid.tensor(slid.inputs[0].tensor);
  ASSERT_EQ(input.shape[axis], hop.rows);
  EXPECT_EQ(input.name, whole.tensor(whole.inputs[0].tensor).name);
  const Layout layout = layout_of(input, axis);
  const int64_t window = window_rows(whole, hop), hops = window / hop.rows + 3;
  Tensor stream_tensor = input;
  stream_tensor.shape[axis] = hops * hop.rows;
  Graph stream_like;
  stream_like.tensors = {stream_tensor};
  stream_like.inputs = {{TensorId{0}}};
  const Bytes stream = testing::noise(stream_like, 7)[0];
  Tensor row = input;
  row.shape[axis] = 1;
  const Bytes zero_row = zero_bytes(row);
  StateValues state = initial_state(slid);
  for (int64_t h = 0; h < hops; ++h) {
    SCOPED_TRACE(h);
    const Bytes added = rows_of(stream, zero_row, layout, h * hop.rows, hop.rows);
    const Bytes all = rows_of(stream, zero_row, layout, (h + 1) * hop.rows - window, window);
    ASSERT_EQ(outputs_of(slid, interpret(slid, {added}, state)),
              outputs_of(whole, interpret(whole, {all})));
  }
}

Graph classifier(const Shape& shape, uint64_t seed) {
  testing::TestGraph net(seed);
  net.output(
      net.fully_connected(net.mean(net.depthwise(net.conv(net.input(shape), 8, 3, 2), 3, 1)), 4));
  return net.graph();
}

TEST(SlidingWindow, DecidesAsTheWholeWindowWould) {
  for (const int64_t rows : {1, 2, 3, 8})
    expect_same_decisions(classifier({1, 9, 5, 2}, 1), {rows}, 1);
}

TEST(SlidingWindow, AlongAnyAxis) {
  expect_same_decisions(classifier({1, 1, 12, 3}, 2), {5}, 2);
  expect_same_decisions(classifier({1, 6, 12, 3}, 3), {.rows = 5, .axis = 2}, 2);
  expect_same_decisions(classifier({1, 6, 4, 3}, 4), {.rows = 2, .axis = 3}, 3);
}

TEST(SlidingWindow, OfSpeechInTheZoo) { expect_same_decisions(build_zoo("ds_cnn_s"), {2}, 1); }

TEST(SlidingWindow, IsKeptBehindAQuantize) {
  testing::TestGraph net(5);
  net.output(net.conv(net.float_input({1, 9, 4, 2}), 3, 3, 1));
  const Graph& whole = net.graph();
  expect_same_decisions(whole, {3}, 1);
  const Graph slid = sliding_window(whole, {3});
  ASSERT_EQ(slid.states.size(), 1);
  EXPECT_EQ(slid.tensor(slid.states[0].in).type, DType::kInt8);
  EXPECT_EQ(slid.tensor(slid.inputs[0].tensor).type, DType::kFloat32);
}

TEST(SlidingWindow, OfAFlatListHasTheRowsOfItsImage) {
  testing::TestGraph net(6);
  net.output(net.conv(net.reshape(net.input({1, 72}), {1, 9, 4, 2}), 3, 3, 1));
  expect_same_decisions(net.graph(), {3}, 1);
  testing::TestGraph flat(7);
  flat.output(flat.fully_connected(flat.input({1, 40}), 3));
  expect_same_decisions(flat.graph(), {8}, 1);
}

TEST(SlidingWindow, RefusesWhatIsNone) {
  const auto refused = [](const Graph& graph, const Hop& hop, const char* why) {
    EXPECT_THAT([&] { (void)sliding_window(graph, hop); },
                ThrowsMessage<CompileError>(HasSubstr(why)));
  };
  const Graph whole = classifier({1, 9, 5, 2}, 8);
  refused(whole, {9},
          "--hop: 9 of the 9 rows of the input of 'test', 1x9x5x2 along axis 1, cannot be the new "
          "ones; 1 to 8 can");
  refused(whole, {.rows = 1, .axis = 0}, "has 1 row along axis 0");
  refused(whole, {.rows = 1, .axis = 4}, "the input of 'test', 1x9x5x2, has no axis 4");
  testing::TestGraph two(9);
  two.output(two.add(two.input({1, 4, 4, 2}), two.input({1, 4, 4, 2})));
  refused(two.graph(), {1}, "is for networks with one input; 'test' has 2");
  Graph through = classifier({1, 9, 5, 2}, 8);
  through.outputs.push_back({through.inputs[0].tensor});
  refused(through, {1}, "the input of 'test' is one of its outputs");
  Graph video = classifier({1, 9, 5, 2}, 8);
  video.tensor(video.inputs[0].tensor).shape = {1, 1, 9, 5, 2};
  refused(video, {1}, "has 5 axes; a window of at most 4 is supported");
}

}  // namespace
}  // namespace thimble
