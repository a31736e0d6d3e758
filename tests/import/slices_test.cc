// SPDX-License-Identifier: Apache-2.0
// STRIDED_SLICE: indices from either end, masks, ellipses, new axes.
#include <gtest/gtest.h>

#include "single_operator.h"

namespace thimble::testing {
namespace {

using tflite::BuiltinOperator;

Slice strided_slice(const std::vector<int32_t>& in, const std::vector<int32_t>& begins,
                    const std::vector<int32_t>& ends, const std::vector<int32_t>& strides,
                    const std::vector<int32_t>& out, tflite::StridedSliceOptionsT options = {}) {
  TfliteBuilder b = with_input(in);
  const int32_t first = b.constant(begins);
  (void)b.constant(ends);
  (void)b.constant(strides);
  const Graph g = import_single(std::move(b), BuiltinOperator::STRIDED_SLICE,
                                {first, first + 1, first + 2}, out, options);
  return std::get<Slice>(g.ops[0].attributes);
}

TEST(TfliteImport, CountsIndicesFromTheEndAndCutsThem) {
  EXPECT_EQ(strided_slice({9, 6}, {-3, 1}, {100, -1}, {1, 2}, {3, 2}), (Slice{{6, 1}, {1, 2}, {}}));
}

TEST(TfliteImport, SlicesBackwardsPastTheFirst) {
  EXPECT_EQ(strided_slice({9, 6}, {100, 2}, {-100, 0}, {-4, -1}, {3, 2}),
            (Slice{{8, 2}, {-4, -1}, {}}));
}

TEST(TfliteImport, MasksBeginsAndEnds) {
  tflite::StridedSliceOptionsT options;
  options.begin_mask = 3;
  options.end_mask = 3;
  EXPECT_EQ(strided_slice({5, 6}, {3, 3}, {3, 3}, {2, -2}, {3, 3}, options),
            (Slice{{0, 5}, {2, -2}, {}}));
}

TEST(TfliteImport, DropsShrunkAxes) {
  tflite::StridedSliceOptionsT options;
  options.shrink_axis_mask = 5;
  EXPECT_EQ(strided_slice({5, 6, 7}, {-1, 1, 2}, {0, 4, 0}, {1, 1, 1}, {3}, options),
            (Slice{{4, 1, 2}, {1, 1, 1}, {0, 2}}));
}

// x[..., 0]; x[1:3, ..., ::-1]; x[2].
TEST(TfliteImport, SlicesAllThatAnEllipsisLeavesOut) {
  tflite::StridedSliceOptionsT options;
  options.ellipsis_mask = 1;
  options.shrink_axis_mask = 2;
  EXPECT_EQ(strided_slice({4, 5, 6}, {0, 3}, {0, 4}, {1, 1}, {4, 5}, options),
            (Slice{{0, 0, 3}, {1, 1, 1}, {2}}));
  options = {};
  options.ellipsis_mask = 2;
  options.begin_mask = options.end_mask = 4;
  EXPECT_EQ(strided_slice({4, 5, 6, 7}, {1, 9, 0}, {3, 9, 0}, {1, 9, -1}, {2, 5, 6, 7}, options),
            (Slice{{1, 0, 0, 6}, {1, 1, 1, -1}, {}}));
  options = {};
  options.shrink_axis_mask = 1;
  EXPECT_EQ(strided_slice({4, 5}, {2}, {3}, {1}, {5}, options), (Slice{{2, 0}, {1, 1}, {0}}));
}

// x has two axes. In x[1:2, ..., 0:2] the ellipsis takes the last one; what follows is not read.
TEST(TfliteImport, SlicesOneAxisByAnEllipsisAtLeast) {
  tflite::StridedSliceOptionsT options;
  options.ellipsis_mask = 2;
  EXPECT_EQ(strided_slice({4, 5}, {1, 0, 0}, {2, 0, 2}, {1, 1, 1}, {1, 5}, options),
            (Slice{{1, 0}, {1, 1}, {}}));
}

// x[1:, None, ..., None, 2].
TEST(TfliteImport, ReshapesASliceWithNewAxes) {
  TfliteBuilder b = with_input({3, 4, 5});
  const int32_t begins = b.constant({1, 0, 0, 0, 2}), ends = b.constant({3, 0, 0, 0, 3}),
                strides = b.constant({1, 1, 1, 1, 1});
  tflite::StridedSliceOptionsT options;
  options.new_axis_mask = 2 + 8;
  options.ellipsis_mask = 4;
  options.shrink_axis_mask = 16;
  const Graph g = import_single(std::move(b), BuiltinOperator::STRIDED_SLICE,
                                {begins, ends, strides}, {2, 1, 4, 1}, options);
  ASSERT_EQ(g.ops.size(), 2U);
  EXPECT_EQ(g.ops[0].attributes, Attributes(Slice{{1, 0, 2}, {1, 1, 1}, {2}}));
  EXPECT_EQ(g.tensor(g.ops[0].outputs[0]).shape, (Shape{2, 4}));
  EXPECT_EQ(g.ops[1].attributes, Attributes(Reshape{}));
}

}  // namespace
}  // namespace thimble::testing
