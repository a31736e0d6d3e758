// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/note_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

TEST(NoteText, HasASentenceForEachKind) {
  const Graph graph = build_zoo("demo");
  const std::pair<Note, const char*> cases[] = {
      {note::LeastOrder{}, "smaller peak (it is the largest working set that none can avoid)"},
      {note::LeastOrder{.states = 7}, "smaller peak (7 states searched)"},
      {note::BestOrder{.states = 7, .peak_bytes = 110, .lower_bound_bytes = 100},
       "7 states searched without a proof (option states): peak 110 B, no order has less than 100 "
       "B (gap 10.0 %)"},
      {note::NoPatches{}, "no patches: none need less memory than whole operators"},
      {note::Patches{.down = 2,
                     .across = 3,
                     .rows = 4,
                     .columns = 5,
                     .last = {0},
                     .split = graph.ops[0].outputs[0],
                     .recomputed_macs = 1'500'000,
                     .stage_macs = 3'000'000,
                     .network_macs = 15'000'000},
       "2 x 3 patches of 4 x 5, split behind CONV_2D #0 (1x24x24x16); +1.500 M MACs: +50.0 % in "
       "the stage, +10.0 % in all"},
      {note::PatchBytes{.stage_bytes = 60,
                        .input_bytes = 30,
                        .slice_bytes = 20,
                        .split_bytes = 10,
                        .split_over_inputs = true,
                        .rest_bytes = 50},
       "the stage needs 60 B: inputs 30, split tensor 10 beyond them, slices 20; the rest 50 B"},
      {note::ChannelLoops{.ops_in_loops = 4,
                          .ops = 9,
                          .loops = 2,
                          .sums_of_32 = 1,
                          .sums_of_8 = 3,
                          .peak_bytes = 100},
       "4 of 9 operators execute in 2 loops over channels, tensors summed: 1 in 32 bits, 3 in 8 "
       "bits; peak 100 B"},
      {note::ChannelLoopSearch{.peak_bytes = 100, .lower_bound_bytes = 80},
       "there is one order, and no other cut of it into loops has a smaller peak; no loops need "
       "less than 80 B (gap 25.0 %)"},
      {note::ChannelLoopSearch{.states = 7, .ended = false},
       "7 states of orders and loops searched; with more there may be a smaller peak"},
      {note::Spans{.ops_in_spans = 5,
                   .ops = 9,
                   .spans = 2,
                   .ops_by_pixels = 3,
                   .ops_in_loops = 4,
                   .loops = 1,
                   .ops_in_both = 2,
                   .peak_bytes = 1000},
       "5 of 9 operators execute row by row in 2 spans (3 of them pixel by pixel), 4 in 1 loop "
       "over channels (2 of them both); peak 1,000 B"},
      {note::InputCollected{.passing_peak_bytes = 9},
       "the input is collected whole first: passing by, it would need 9 B"},
      {note::InputCollected{.obstacle = "why"}, "the input is collected whole first: why"},
      {note::ByColumns{}, "images lie column by column; ports are brought there and back in place"},
      {note::InputRelaid{}, "the input is brought to row-major order first, in place"},
      {note::Rematerialised{.tensors = 2, .macs = 1'500'000},
       "2 tensors are computed twice instead of kept: +1.500 M MACs"},
      {note::ConstantChannels{.removed = 1650,
                              .of = 2738,
                              .macs_before = 7'500'000,
                              .macs = 3'750'000,
                              .weight_bytes_before = 2048,
                              .weight_bytes = 1024},
       "1,650 of 2,738 channels are left out, the same for every input or needed by none: 3.750 M "
       "MAC instead of 7.500, weights 1.0 KiB (1,024 B) instead of 2.0 KiB (2,048 B)"},
      {note::TimeLimitStruck{.seconds = 0.5}, "--time-limit of 0.5 s struck"},
  };
  for (const auto& [note, text] : cases) EXPECT_THAT(sentence(note, graph), HasSubstr(text));
}

TEST(NoteText, SaysNothingOfNothing) {
  const Graph graph = build_zoo("demo");
  EXPECT_EQ(sentences({note::Spans{.ops = 3, .peak_bytes = 4165},
                       note::ChannelLoops{.ops = 3, .peak_bytes = 4165},
                       note::Partitions{.ops = 3, .peak_bytes = 4165}, note::InputRelaid{}},
                      graph)
                .size(),
            1U);
}

}  // namespace
}  // namespace thimble
