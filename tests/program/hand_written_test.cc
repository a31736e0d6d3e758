// SPDX-License-Identifier: Apache-2.0
// The design proved: schedules finer than an operator go through layout, verifier and host
// execution.
#include "tests/support/hand_written.h"

#include <gtest/gtest.h>

#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

void expect_exact_at_peak(const testing::HandWritten& plan) {
  ASSERT_EQ(malformed(plan.graph, plan.schedule), "");
  const Placement placement = place(plan.graph, plan.schedule, {});
  EXPECT_EQ(placement.peak_bytes, plan.peak_bytes);
  EXPECT_EQ(placement.arena_bytes, plan.peak_bytes);
  EXPECT_TRUE(placement.proven_optimal);
  const Program program = lower(plan.graph, plan.schedule, placement);
  EXPECT_EQ(verify(plan.graph, program).fault, "");
  EXPECT_EQ(macs(plan.graph, plan.schedule), macs(plan.graph));
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Tensor& in = plan.graph.tensor(plan.graph.inputs[0].tensor);
    const std::vector<Bytes> inputs{random_bytes(in.type, elements(in.shape), seed)};
    const Bytes expected = interpret(plan.graph, inputs)[plan.graph.outputs[0].tensor.index()];
    EXPECT_EQ(execute(program, inputs)[0], expected) << "seed " << seed;
  }
}

TEST(HandWritten, ChannelLoopWithAccumulatorsIsExactAtItsPeak) {
  expect_exact_at_peak(testing::channel_loop());
}

TEST(HandWritten, RowSpanOverConsumedRowsIsExactAtItsPeak) {
  expect_exact_at_peak(testing::row_span());
}

TEST(HandWritten, RingOneRowTooShortIsCaught) {
  testing::HandWritten plan = testing::row_span();
  Buffer& ring = plan.schedule.buffers[1];
  ASSERT_EQ(ring.wrap->modulus, 3);
  ring.wrap->modulus = ring.extents[1] = 2;
  const Program program = lower(plan.graph, plan.schedule, place(plan.graph, plan.schedule, {}));
  EXPECT_NE(verify(plan.graph, program).fault, "");
}

TEST(HandWritten, ChunkMissingIsCaught) {
  testing::HandWritten plan = testing::channel_loop();
  std::get<Loop>(plan.schedule.nodes[0].what).count = 143;
  const Program program = lower(plan.graph, plan.schedule, place(plan.graph, plan.schedule, {}));
  EXPECT_NE(verify(plan.graph, program).fault.find("accumulator"), std::string::npos);
}

}  // namespace
}  // namespace thimble
