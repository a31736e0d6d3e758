// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace thimble {
namespace {

using ::testing::HasSubstr;

Verdict verdict() {
  return {.arena_bytes = 1000,
          .caller_bytes = 20,
          .weight_bytes = 5000,
          .code = CodeBytes{.code = {400, 50}, .stack = {200, 30}, .core = "cortex-m4"},
          .sram_limit_bytes = 1250,
          .flash_limit_bytes = 5450};
}

TEST(Verdict, CountsAllWithItsMargins) {
  Verdict v = verdict();
  EXPECT_EQ(v.sram_bytes(), 1000 + 20 + 200 + 30);
  EXPECT_EQ(v.flash_bytes(), 5000 + 400 + 50);
  EXPECT_TRUE(v.fits());
  --*v.sram_limit_bytes;
  EXPECT_FALSE(v.fits_sram());
  EXPECT_TRUE(v.fits_flash());
  v.sram_limit_bytes = 1250;
  --*v.flash_limit_bytes;
  EXPECT_FALSE(v.fits());
}

TEST(Verdict, SaysWhatIsEstimatedAndWhatWasMeasured) {
  Verdict v = verdict();
  EXPECT_THAT(verdict_text(v), HasSubstr("fits: 0 B of SRAM left of 1.2 KiB (1,250 B) (arena"));
  EXPECT_THAT(verdict_text(v), HasSubstr("stack 200 B estimated, up to 30 B more"));
  v.code = CodeBytes{.code = {390}, .stack = {180}, .core = "cortex-m4", .measured = true};
  EXPECT_THAT(verdict_text(v), HasSubstr("code 390 B measured"));
  EXPECT_EQ(v.sram_bytes(), 1200);
  v.flash_limit_bytes = 5000;
  EXPECT_THAT(verdict_text(v), HasSubstr("does not fit: 390 B more flash needed"));
  v.code.reset();
  EXPECT_THAT(verdict_text(v), HasSubstr("stack not known"));
}

TEST(Verdict, KnowsMemoryInPieces) {
  Verdict v = verdict();
  v.arena_fits = false;
  EXPECT_FALSE(v.fits_sram());
  EXPECT_THAT(verdict_text(v), HasSubstr("no SRAM of contiguous addresses is large enough"));
  EXPECT_EQ(verdict_json(v).at("sram").at("fits"), false);
}

}  // namespace
}  // namespace thimble
