// SPDX-License-Identifier: Apache-2.0
// Tables of text.
#include "thimble/report/table.h"

#include <gtest/gtest.h>

namespace thimble {
namespace {

Table small() {
  return {.groups = {{"", {{"model", false}}}, {"one", {{"peak"}, {"s"}}}, {"two", {{"peak"}}}},
          .rows = {{"a", "1,000", "2", "3"}, {"long", "4", "-", "5"}}};
}

TEST(TableText, AlignsWordsLeftAndNumbersRight) {
  EXPECT_EQ(aligned_text(small(), 0),
            "      | one      | two\n"
            "model |  peak  s | peak\n"
            "a     | 1,000  2 |    3\n"
            "long  |     4  - |    5\n");
}

TEST(TableText, ContinuesBelowWhatIsTooWide) {
  EXPECT_EQ(aligned_text(small(), 20),
            "      | one\n"
            "model |  peak  s\n"
            "a     | 1,000  2\n"
            "long  |     4  -\n"
            "\n"
            "      | two\n"
            "model | peak\n"
            "a     |    3\n"
            "long  |    5\n");
}

TEST(TableText, WithoutTitlesThereIsNoLineOfThem) {
  EXPECT_EQ(aligned_text({.groups = {{"", {{"x"}}}}, .rows = {{"12"}}}, 0), " x\n12\n");
}

TEST(TableText, MarkdownHasTheTitlesInItsHeaderAndEscapesBars) {
  Table table = small();
  table.rows[0][0] = "a|b";
  EXPECT_EQ(markdown(table),
            "| model | one peak | one s | two peak |\n"
            "|---|--:|--:|--:|\n"
            "| a\\|b | 1,000 | 2 | 3 |\n"
            "| long | 4 | - | 5 |\n");
}

TEST(TableText, CsvQuotesWhatItMust) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", ""}), "a,\"b,c\",\"say \"\"x\"\"\",\n");
}

TEST(TableText, CsvHasNoFormulas) {
  EXPECT_EQ(csv_line({"=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-x", "-1.5", "+2", "-", "a=b"}),
            "'=1+1,'@SUM(A1),'+cmd|' /C calc'!A0,'-x,-1.5,+2,-,a=b\n");
}

}  // namespace
}  // namespace thimble
