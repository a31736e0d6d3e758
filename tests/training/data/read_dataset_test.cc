// SPDX-License-Identifier: Apache-2.0
#include "training/data/read_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shared.h"
#include "tests/training/sounds.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"
#include "training/data/augment.h"

namespace thimble::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::tone;
using testing::write_file;
using testing::write_tones;

class Sounds : public ::testing::Test {
 protected:
  [[nodiscard]] DatasetRequest request() const {
    return {.path = folder_.path().string(), .shape = {49, 10, 1}, .variants = 3};
  }
  [[nodiscard]] std::string refusal() const {
    try {
      (void)read_dataset(request());
      return "none";
    } catch (const CompileError& fault) {
      return fault.what();
    }
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(Sounds, OfAFolderAreSplitInEachClass) {
  write_tones(folder(), 10);
  const Dataset data = read_dataset(request());
  EXPECT_THAT(data.classes, ElementsAre("high", "low", "middle"));
  EXPECT_EQ(data.content, Content::kSound);
  EXPECT_EQ(data.train.size(), 24U);
  EXPECT_EQ(data.test.size(), 6U);
  for (int32_t c = 0; c < 3; ++c) EXPECT_EQ(std::ranges::count(data.test.labels, c), 2);
  EXPECT_EQ(data.train.steps.size(), size_t{24} * 3 * 490);
  EXPECT_EQ(data.test.steps.size(), size_t{6} * 490);
}

TEST_F(Sounds, AreTheSameForAnyNumberOfJobs) {
  write_tones(folder(), 6);
  DatasetRequest request = this->request();
  const Dataset one = read_dataset(request);
  request.jobs = 2;
  const Dataset two = read_dataset(request);
  EXPECT_EQ(one.train.steps, two.train.steps);
  EXPECT_EQ(one.test.steps, two.test.steps);
  EXPECT_EQ(one.train.labels, two.train.labels);
}

TEST_F(Sounds, ThatAreSpokenAreSplitBySpeaker) {
  for (const char* speaker : {"anna", "bert", "carl"}) {
    for (int digit = 0; digit < 2; ++digit) {
      for (int k = 0; k < 2; ++k) {
        write_file(
            folder() / (std::to_string(digit) + "_" + speaker + "_" + std::to_string(k) + ".wav"),
            tone(300 + 500 * digit));
      }
    }
  }
  DatasetRequest request = this->request();
  request.test_speakers = {"bert"};
  const Dataset data = read_dataset(request);
  EXPECT_THAT(data.classes, ElementsAre("0", "1"));
  EXPECT_EQ(data.train.size(), 8U);
  EXPECT_EQ(data.test.size(), 4U);
  request.test_speakers = {"dora"};
  EXPECT_THROW((void)read_dataset(request), CompileError);
}

TEST_F(Sounds, HaveFoldersToTestOfTheirOwn) {
  write_tones(folder() / "train", 3);
  write_tones(folder() / "test", 1);
  const Dataset data = read_dataset(request());
  EXPECT_EQ(data.train.size(), 9U);
  EXPECT_EQ(data.test.size(), 3U);
}

TEST_F(Sounds, OfAClassWithoutATestAreRefused) {
  write_tones(folder() / "train", 3);
  write_tones(folder() / "test", 1);
  std::filesystem::remove_all(folder() / "test" / "low");
  EXPECT_THAT(refusal(), HasSubstr("class 'low' has no samples to test"));
}

TEST_F(Sounds, OfOneClassAreRefused) {
  write_tones(folder(), 5);
  std::filesystem::remove_all(folder() / "low");
  std::filesystem::remove_all(folder() / "high");
  EXPECT_THAT(refusal(), HasSubstr("two are the least"));
}

TEST_F(Sounds, ThatAreDamagedAreNamed) {
  write_tones(folder(), 5);
  write_file(folder() / "low" / "3.wav", tone(300).substr(0, 30));
  EXPECT_THAT(refusal(), HasSubstr("low/3.wav"));
}

TEST_F(Sounds, AndPicturesAreNoDataset) {
  write_tones(folder(), 5);
  write_file(folder() / "low" / "a.png", "no picture");
  EXPECT_THAT(refusal(), HasSubstr("has pictures and sound"));
}

TEST_F(Sounds, NeedANetworkOfSound) {
  write_tones(folder(), 5);
  DatasetRequest request = this->request();
  request.shape = {32, 32, 3};
  EXPECT_THROW((void)read_dataset(request), CompileError);
}

TEST_F(Sounds, ThatAreNotThereAreRefused) { EXPECT_THAT(refusal(), HasSubstr("has no pictures")); }

TEST(Pictures, OfCifarHaveTheirOwnTest) {
  THIMBLE_NEEDS_SHARED();
  const Dataset data = read_dataset(
      {.path = (testing::shared_folder() / "data").string(), .shape = {32, 32, 3}, .limit = 3});
  EXPECT_EQ(data.classes.size(), 10U);
  EXPECT_EQ(data.train.size(), 30U);
  EXPECT_EQ(data.test.size(), 30U);
  EXPECT_NE(data.train.steps, data.test.steps);
}

TEST_F(Sounds, ChangeByChanceAlone) {
  write_tones(folder(), 5);
  const Dataset data = read_dataset(request());
  std::vector<float> a(490), b(490), c(490);
  zoo::Random first(1), second(1), third(2);
  augment(data, 2, first, a.data());
  augment(data, 2, second, b.data());
  augment(data, 2, third, c.data());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace thimble::training
