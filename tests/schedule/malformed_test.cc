// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/hand_written.h"

namespace thimble {
namespace {

Loop& loop(Schedule& s) { return std::get<Loop>(s.nodes[0].what); }
Step& step(Schedule& s, size_t k) { return std::get<Step>(loop(s).body[k].what); }

struct Damage {
  std::function<void(Schedule&)> apply;
  const char* fault;
};

void expect_faults(const testing::HandWritten& plan, const std::vector<Damage>& damages) {
  EXPECT_EQ(malformed(plan.graph, plan.schedule), "");
  for (const Damage& damage : damages) {
    Schedule schedule = plan.schedule;
    damage.apply(schedule);
    EXPECT_NE(malformed(plan.graph, schedule).find(damage.fault), std::string::npos)
        << "wanted: " << damage.fault << "\ngot: " << malformed(plan.graph, schedule);
  }
}

TEST(Malformed, NamesTheFaultOfARowSpan) {
  expect_faults(
      testing::row_span(),
      {{[](Schedule& s) { s.nodes.push_back(loop(s).body[0]); },
        "a loop that it does not stand in"},
       {[](Schedule& s) { s.inputs.clear(); }, "0 input buffers"},
       {[](Schedule& s) { s.buffers[0].origin[1] = index(2); }, "held whole"},
       {[](Schedule& s) { s.buffers[1].wrap->modulus = int64_t{1} << 31; }, "ring is out of range"},
       {[](Schedule& s) { s.buffers[1].origin[1] = index(1); }, "origin 0"},
       {[](Schedule& s) {
          s.buffers[1].order = {0, 1, 1, 3};
        },
        "no permutation"},
       {[](Schedule& s) { s.buffers[2].extents[0] = 0; }, "extents"},
       {[](Schedule& s) { loop(s).count = 0; }, "count"},
       {[](Schedule& s) { s.nodes.push_back(s.nodes[0]); }, "used twice"},
       {[](Schedule& s) { step(s, 0).region.pop_back(); }, "rank"},
       {[](Schedule& s) { step(s, 0).out = {3}; }, "another tensor"},
       {[](Schedule& s) { step(s, 2).in[0] = {}; }, "constants"},
       {[](Schedule& s) { step(s, 0).method = Method::kInPlace; }, "no kernel"},
       {[](Schedule& s) {
          s.shares.push_back({{0}, {9}});
        },
        "share"}});
}

// Numbers that are small each, and much together.
TEST(Malformed, BoundsWhatAPlanMayAskFor) {
  expect_faults(testing::row_span(),
                {{[](Schedule& s) { loop(s).count = 1'000'000'000; }, "it executes more than"},
                 {[](Schedule& s) {
                    s.loop_count = 1'000'000;
                    s.buffers.resize(1000, s.buffers[2]);
                  },
                  "the number of loops is out of range"},
                 {[](Schedule& s) {
                    const Term term = step(s, 0).region[1].begin.terms.at(0);
                    step(s, 0).region[1].begin.terms = {term, term};
                  },
                  "its region is out of range"},
                 {[](Schedule& s) {
                    s.shares.push_back({{1}, {1}});
                  },
                  "shares bytes with itself"}});
}

TEST(Malformed, NamesWhatNoKernelTakes) {
  expect_faults(testing::row_span(),
                {{[](Schedule& s) {
                    s.buffers.push_back({.tensor = {}, .extents = {64}});
                    step(s, 0).scratch = {static_cast<int32_t>(s.buffers.size()) - 1};
                  },
                  "it has scratch that its kernel does not need"},
                 {[](Schedule& s) {
                    s.buffers.push_back(s.buffers[1]);
                    Step copy{.region = step(s, 0).region, .in = {BufferId{1}}};
                    copy.out = {static_cast<int32_t>(s.buffers.size()) - 1};
                    copy.chunk = step(s, 0).region[1];
                    loop(s).body.push_back({copy});
                  },
                  "a copy goes from one buffer"},
                 {[](Schedule& s) {
                    step(s, 0).region[3] = {index(5), index(3)};
                  },
                  "its region ends before it begins"}});
}

TEST(Malformed, NamesTheFaultOfAChannelLoop) {
  expect_faults(
      testing::channel_loop(),
      {{[](Schedule& s) { step(s, 2).chunk.reset(); }, "chunk"},
       {[](Schedule& s) { s.buffers[3].type = DType::kInt8; }, "type"},
       {[](Schedule& s) { std::get<Step>(s.nodes[1].what).in = {BufferId{4}}; }, "accumulators"},
       {[](Schedule& s) { std::get<Step>(s.nodes[2].what).in[0] = BufferId{1}; },
        "does not stand in"},
       {[](Schedule& s) { step(s, 1).method = Method::kInPlace; }, "scratch"}});
}

TEST(Malformed, NamesTheFaultOfACopyInPlace) {
  static const auto copy = [](Schedule& s) -> Step& { return std::get<Step>(s.nodes[0].what); };
  expect_faults(testing::turned_input(),
                {{[](Schedule& s) {
                    s.buffers[1].order = {0, 3, 2, 1};
                  },
                  "no kernel changes the order of axes from [0, 3, 1, 2] to [0, 3, 2, 1] in place"},
                 {[](Schedule& s) { s.buffers[1].extents[1] = 5; }, "hold all of their tensor"},
                 {[](Schedule& s) {
                    s.buffers[1].wrap = Wrap{1, 6};
                  },
                  "hold all of their tensor"},
                 {[](Schedule& s) { copy(s).region[1].end = index(5); }, "has all of its tensor"},
                 {[](Schedule& s) {
                    copy(s).in[0] = Operand(std::vector<BufferId>{{0}, {1}});
                  },
                  "not in one buffer"},
                 {[](Schedule& s) { copy(s).method = Method::kFinalise; },
                  "neither accumulates nor finalises"}});
}

TEST(Malformed, RefusesACopyInPlaceOfWideElements) {
  testing::HandWritten plan = testing::turned_input();
  plan.graph.tensors[0].type = DType::kInt16;
  for (size_t b : {0, 1}) plan.schedule.buffers[b].type = DType::kInt16;
  EXPECT_NE(malformed(plan.graph, plan.schedule).find("elements of one byte"), std::string::npos);
}

// Buffers: 0 ring of x, 1 t, 2 u, 3 ring of y, 4 rows that come, 5 rows that go.
TEST(Malformed, NamesTheFaultOfAStream) {
  expect_faults(
      testing::row_stream(),
      {{[](Schedule& s) { s.buffers[1].memory = kCaller; }, "is no port"},
       {[](Schedule& s) { s.inputs[0] = {5}; }, "input 0 is not held whole"},
       {[](Schedule& s) { s.buffers[4].memory = kArena; }, ""},
       {[](Schedule& s) { loop(s).body.erase(loop(s).body.begin()); }, "that no step receives"},
       {[](Schedule& s) { std::swap(loop(s).body[0], loop(s).body[1]); }, "by the first step"},
       {[](Schedule& s) {
          s.nodes = {{Loop{{1}, 1, s.nodes}}}, s.loop_count = 2;
        },
        "stands in no other"},
       {[](Schedule& s) { step(s, 1).in[0] = BufferId{4}; }, "are copied, and nothing else"},
       {[](Schedule& s) { step(s, 3).out = BufferId{5}; }, "are copied, and nothing else"},
       {[](Schedule& s) { step(s, 0).region[3].end = index(4); }, "whole and in one piece"},
       {[](Schedule& s) {
          s.buffers[3].wrap.reset(), s.buffers[3].order = {0, 3, 1, 2};
        },
        "whole and in one piece"},
       {[](Schedule& s) { step(s, 0).recomputes = true; }, "come and go once"},
       {[](Schedule& s) { step(s, 4).in = {BufferId{3}}, step(s, 4).out = {4}; },
        "a copy goes from one buffer"}});
}

// Memories: 0 arena, 1 caller, 2 stream, 3 flash, 4 sram2, 5 psram. Buffers: 0 rows that come, 1
// ring, 2 a, 3 b, 4 c, 5 y.
TEST(Malformed, NamesTheFaultOfAMemory) {
  const auto memory = [](auto field, auto value) {
    return [=](Schedule& s) { s.memories[5].*field = value; };
  };
  expect_faults(
      testing::several_memories(),
      {{[](Schedule&) {}, ""},
       {memory(&ScheduleMemory::name, std::string("sram2")), "memory 5: there is another 'sram2'"},
       {memory(&ScheduleMemory::name, std::string("*/ int")), "memory 5: its name is not one of"},
       {memory(&ScheduleMemory::name, std::string(33, 'a')), "memory 5: its name is not one of"},
       {memory(&ScheduleMemory::kind, MemoryKind::kCaller), "memory 5: there is one caller only"},
       {memory(&ScheduleMemory::kind, MemoryKind::kMappedFlash), "there is one mapped_flash only"},
       {memory(&ScheduleMemory::alignment, int64_t{24}), "its alignment is no power of two"},
       {memory(&ScheduleMemory::capacity_bytes, std::optional<int64_t>(-1)), "its capacity is out"},
       {memory(&ScheduleMemory::kind, MemoryKind::kBlockStorage),
        "block storage, and only that, is written in granules and blocks"},
       {[](Schedule& s) {
          s.memories[5].kind = MemoryKind::kBlockStorage;
          s.memories[5].storage = BlockStorage{};
        },
        "step 1: no step reads or writes psram, which is block storage"},
       {[](Schedule& s) { s.memories.resize(3); }, "the number of memories is out of range"},
       {[](Schedule& s) { s.memories[0].kind = MemoryKind::kExternalRam; }, "it is not the arena"},
       {[](Schedule& s) { s.memories[3].kind = MemoryKind::kSram; }, "it is not the flash"},
       {[](Schedule& s) { s.buffers[2].memory = {6}; }, "buffer 2: its memory does not exist"},
       {[](Schedule& s) { s.buffers[2].memory = {}; }, "buffer 2: its memory does not exist"},
       {[](Schedule& s) { s.buffers[2].memory = kFlash; },
        "buffer 2: flash holds packed constants"},
       {[](Schedule& s) { s.buffers[2].memory = kCaller; }, "buffer 2 lies outside of the arena"}});
}

TEST(Malformed, NobodyWritesTheCallersInput) {
  testing::HandWritten plan = testing::row_span_of_user();
  expect_faults(plan,
                {{[](Schedule& s) {
                    s.nodes.push_back({Step{.region = step(s, 0).region, .in = {BufferId{0}}}});
                    Step& copy = std::get<Step>(s.nodes.back().what);
                    copy.region = region_expr(whole(s.buffers[0].extents));
                    copy.out = {0};
                  },
                  "writes the caller's input"},
                 {[](Schedule& s) { s.outputs[0] = {1}; }, "output 0 is not held whole"}});
}

}  // namespace
}  // namespace thimble
