// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string named(const std::string& typed) {
  try {
    return core_named(typed).name;
  } catch (const CompileError& error) {
    return error.what();
  }
}

TEST(Cores, AreKnownInAnySpelling) {
  const std::pair<const char*, const char*> cases[] = {
      {"cortex-m4", "cortex-m4"},
      {"Cortex-M4", "cortex-m4"},
      {"cortex_m4", "cortex-m4"},
      {"cortexm4", "cortex-m4"},
      {"m4", "cortex-m4"},
      {"M4F", "cortex-m4"},
      {"M0+", "cortex-m0plus"},
      {"m0plus", "cortex-m0plus"},
      {"Cortex-M0+", "cortex-m0plus"},
      {"m55", "cortex-m55"},
      {"arm-cortex-m33", "cortex-m33"},
      {"m33f", "cortex-m33"},
      {"RV32IMC", "rv32imc"},
      {"rv32imac", "rv32imac"},
      {"xtensa_esp32s3", "xtensa-esp32s3"},
      {"rv32imac_zba_zbb", "rv32imac_zba_zbb"},
  };
  for (const auto& [typed, name] : cases) EXPECT_EQ(named(typed), name) << typed;
  for (const Core& core : known_cores()) EXPECT_EQ(core_named(core.name), core);
}

TEST(Cores, AreNeverGuessed) {
  EXPECT_THAT(named("cortex-m44"),
              AllOf(HasSubstr("core 'cortex-m44': is not known; the nearest are cortex-m4"),
                    HasSubstr("--core list")));
  for (const char* typed : {"", "z80", "m", "rv32", "rv32xyz", "rv64imc", "cortex-a53",
                            "cortex-m4 -o x", "cortex-m4; rm", "../x", "+", "+nofp"})
    EXPECT_THAT(named(typed), HasSubstr("is not known; the nearest are")) << typed;
}

TEST(Cores, HaveTheExtensionsThatTheCompilerKnows) {
  const Core nofp = core_named("Cortex-M4+NOFP");
  EXPECT_EQ(nofp.name, "cortex-m4+nofp");
  EXPECT_TRUE(nofp.has(InstructionSet::kDsp));
  EXPECT_THAT(nofp.flags,
              AllOf(Contains("-mcpu=cortex-m4+nofp"), Not(Contains("-mfloat-abi=hard"))));
  EXPECT_FALSE(core_named("m33+nodsp").has(InstructionSet::kDsp));
  const Core nomve = core_named("cortex-m55+nomve");
  EXPECT_TRUE(nomve.has(InstructionSet::kDsp));
  EXPECT_FALSE(nomve.has(InstructionSet::kMve));
  EXPECT_TRUE(core_named("cortex-m55+nomve.fp").has(InstructionSet::kMve));
  EXPECT_THAT(named("cortex-m4+fast"),
              HasSubstr("'fast' is no extension of cortex-m4; there are nofp"));
  EXPECT_THAT(named("cortex-m0+nofp"), HasSubstr("cortex-m0 has no extensions to name"));
  EXPECT_THAT(named("z80+nofp"), HasSubstr("core 'z80+nofp': is not known"));
}

}  // namespace
}  // namespace thimble
