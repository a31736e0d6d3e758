// SPDX-License-Identifier: Apache-2.0
// Sound in .wav files, numbers and texts in .csv files.
#include "thimble/inputs/sound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/wav_file.h"
#include "tests/support/workload.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

std::vector<int16_t> samples_in(const Bytes& wav) { return decoded_wav(wav, "a.wav").samples; }

TEST(Wav, HasSamplesOf16BitsWhateverTheFormat) {
  EXPECT_THAT(samples_in(wav_file({1, 1, 16'000, 16}, {0xFF, 0xFF, 0x00, 0x80})),
              ElementsAre(-1, -32768));
  EXPECT_THAT(samples_in(wav_file({1, 1, 8000, 8}, {128, 0, 255})), ElementsAre(0, -32768, 32512));
  EXPECT_THAT(samples_in(wav_file({1, 1, 8000, 24}, {0x80, 0x01, 0x00, 0, 0, 0x80})),
              ElementsAre(2, -32768));
  EXPECT_THAT(samples_in(wav_file({1, 1, 8000, 32}, {0, 0, 5, 0})), ElementsAre(5));
  EXPECT_THAT(samples_in(wav_file({3, 1, 8000, 32}, {0, 0, 0, 0x3F, 0, 0, 0x80, 0xFF})),
              ElementsAre(16384, 0));  // 0.5, minus infinity
}

TEST(Wav, ChannelsBecomeTheirMean) {
  const Sound sound = decoded_wav(wav_file({1, 2, 44'100, 16}, {10, 0, 20, 0, 1, 0, 0, 0}), "");
  EXPECT_EQ(sound.channels, 2);
  EXPECT_EQ(sound.rate, 44'100);
  EXPECT_THAT(sound.samples, ElementsAre(15, 1));
}

TEST(Wav, IsRefusedUnlessItCanBeRead) {
  const auto fault = [](const Bytes& bytes) { return fault_of([&] { (void)samples_in(bytes); }); };
  EXPECT_THAT(fault({}), HasSubstr("a.wav: is no .wav file"));
  EXPECT_THAT(fault(wav_file({2, 1, 8000, 4}, {1})), HasSubstr("format 2 with 4 bits; supported"));
  EXPECT_THAT(fault(wav_file({1, 0, 8000, 16}, {1, 1})), HasSubstr("contradicts itself"));
  EXPECT_THAT(fault(wav_file({1, 1, 8000, 16}, {})), HasSubstr("has no samples"));
  Bytes other = wav_file({1, 1, 8000, 16}, {1, 1});
  other.resize(30);
  EXPECT_THAT(fault(other), HasSubstr("is damaged"));
}

TEST(Wav, SurvivesAnyByte) {
  std::mt19937_64 random(3);
  const Bytes whole = wav_file({1, 2, 8000, 16}, Bytes(64, 3));
  for (uint64_t n = 0; n < random_cases(2000, 100'000); ++n) {
    Bytes bytes = whole;
    bytes[random() % 44] = static_cast<uint8_t>(random());
    if (n % 3 == 0) bytes.resize(random() % bytes.size());
    (void)fault_of([&] { (void)samples_in(bytes); });
  }
}

TEST(Tables, HaveFieldsBetweenSeparators) {
  const TextTable table = table_in("path,label\n a.png , cat\r\n\n\"b,\"\"c\"\"\",dog\n", "");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[1], ElementsAre("a.png", "cat"));
  EXPECT_THAT(table.rows[2], ElementsAre("b,\"c\"", "dog"));
  EXPECT_THAT(table.lines, ElementsAre(1, 2, 4));
  EXPECT_THAT(table_in("1;2\n3;4", "").rows[1], ElementsAre("3", "4"));
  EXPECT_THAT(fault_of([] { (void)table_in("a\n\"b\n", "t.csv"); }),
              HasSubstr("t.csv: line 2: a quotation mark is not closed"));
}

TEST(Tables, AreNumbersBehindAHeading) {
  const NumberTable numbers = numbers_in(table_in("x,y\n1,-2.5\n+3,4e1\n", ""), "");
  EXPECT_EQ(numbers.rows, 2U);
  EXPECT_THAT(numbers.values, ElementsAre(1, -2.5, 3, 40));
  const auto fault = [](const char* text) {
    return fault_of([&] { (void)numbers_in(table_in(text, "n.csv"), "n.csv"); });
  };
  EXPECT_THAT(fault("1,2\n3\n"), HasSubstr("n.csv: line 2 has 1 numbers, those before it 2"));
  EXPECT_THAT(fault("1,2\n3,x\n"), HasSubstr("line 2: 'x' is not a number"));
  EXPECT_THAT(fault("1,inf\n"), HasSubstr("'inf' is not a number"));
  EXPECT_THAT(fault("a,b\n"), HasSubstr("has no numbers"));
}

}  // namespace
}  // namespace thimble::testing
