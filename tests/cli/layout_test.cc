// SPDX-License-Identifier: Apache-2.0
// `thimble layout`: offsets for a CSV of buffers.
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwo = "id,lower,upper,size\na,0,3,4\nb,2,5,8\n";

class LayoutCommand : public CommandLine {};

TEST_F(LayoutCommand, WritesOffsetsOfTheLeastArena) {
  write("p.csv", kTwo);
  const ProcessResult result = thimble({"layout", "p.csv", "--out", "o.csv"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "12 B, the least possible\n");
  EXPECT_EQ(read("o.csv"), "id,lower,upper,size,offset\na,0,3,4,8\nb,2,5,8,0\n");
}

TEST_F(LayoutCommand, StopsAtTheCapacity) {
  write("p.csv", kTwo);
  const ProcessResult result = thimble({"layout", "p.csv", "--capacity", "1K"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "12 B of 1,024 B\n");
}

TEST_F(LayoutCommand, SaysWhatIsImpossible) {
  write("p.csv", kTwo);
  const ProcessResult result = thimble({"layout", "p.csv", "--capacity", "11", "--out", "o.csv"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.out, "does not fit: at least 12 B are needed, the capacity is 11 B\n");
  EXPECT_THAT(names(), ElementsAre("p.csv"));
}

// The sum of live sizes is 6 throughout, but no layout has less than 7.
TEST_F(LayoutCommand, SaysWhatWasProved) {
  write("p.csv",
        "id,lower,upper,size\na,0,1,4\nb,3,7,1\nc,0,3,2\nd,1,4,2\ne,2,6,2\nf,4,8,3\ng,7,8,3\n");
  const ProcessResult result = thimble({"layout", "p.csv", "--capacity", "6"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.out, "does not fit: at least 7 B are needed, the capacity is 6 B\n");
}

TEST_F(LayoutCommand, RefusesWhatIsNoProblem) {
  const auto refusal = [&](const std::string& text) {
    write("p.csv", text);
    const ProcessResult result = thimble({"layout", "p.csv", "--out", "o.csv"});
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  const std::string heading = "id,lower,upper,size\n";
  EXPECT_EQ(refusal(""), "thimble: p.csv, line 1: '' is not the heading 'id,lower,upper,size'\n");
  EXPECT_THAT(refusal("id,size\n"), HasSubstr("p.csv, line 1: 'id,size' is not the heading"));
  EXPECT_THAT(refusal(heading + "a,0,3\n"), HasSubstr("line 2: 'a,0,3' has 3 fields, not the 4"));
  EXPECT_THAT(refusal(heading + "a,0,x,4\n"), HasSubstr("line 2: upper 'x' is not an integer"));
  EXPECT_THAT(refusal(heading + "a,0,,4\n"), HasSubstr("line 2: upper '' is not an integer"));
  EXPECT_THAT(refusal(heading + "a,3,3,4\n"), HasSubstr("line 2: lower 3 is not below upper 3"));
  EXPECT_THAT(refusal(heading + "a,0,3,-4\n"), HasSubstr("line 2: size -4 is negative"));
  EXPECT_THAT(refusal(heading + "a,0,3,9223372036854775808\n"),
              HasSubstr("line 2: size '9223372036854775808' is beyond 64 bits"));
  EXPECT_THAT(refusal(heading + "a,0,3,1000000000000000000\nb,9,10,1000000000000000000\n"),
              HasSubstr("line 3: with 1000000000000000000 bytes more, all buffers have more than"));
  EXPECT_THAT(refusal(heading + "a,0,3,4\na,5,6,4\n"), HasSubstr("line 3: a second buffer 'a'"));
  EXPECT_THAT(names(), ElementsAre("p.csv"));
}

TEST_F(LayoutCommand, RefusesFilesThatItCannotUse) {
  EXPECT_THAT(thimble({"layout", "none.csv"}).err, HasSubstr("none.csv"));
  write("p.csv", kTwo);
  EXPECT_THAT(thimble({"layout", "p.csv", "--capacity", "ten"}).err, HasSubstr("ten"));
  EXPECT_THAT(thimble({"layout", "p.csv", "--out", "p.csv"}).err,
              HasSubstr("--out: p.csv is the same file as FILE"));
  write("notes.csv", "a,b\n");
  EXPECT_THAT(thimble({"layout", "p.csv", "--out", "notes.csv"}).err,
              HasSubstr("is not a layout of Thimble's"));
  const ProcessResult unwritable = thimble({"layout", "p.csv", "--out", "none/o.csv"});
  EXPECT_EQ(unwritable.exit_status, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("none/o.csv"));
  EXPECT_THAT(names(), ElementsAre("notes.csv", "p.csv"));
}

}  // namespace
}  // namespace thimble::testing
