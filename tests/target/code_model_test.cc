// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/code_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"
#include "thimble/target/core.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {
namespace {

using ::testing::IsEmpty;

CodeModel model() {
  CodeModel result{.core = "cortex-m4", .compiler = "g++ 1"};
  result.parts = {{.kernels = {"add", "mul"}, .bytes = 100, .uses = {{"RINGS", 12}}}};
  result.kernel_stack = {{"add", 40}};
  at(result.emitted, CodeFeature::kCall) = 31.5;
  at(result.frames, CodeFeature::kOperand) = 8;
  result.entry_stack_bytes = 16;
  result.table_stack_bytes = 120;
  result.error = {.code_share = 0.05, .code_bytes = 64, .stack_share = 0.1, .stack_bytes = 8};
  return result;
}

TEST(CodeModel, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_code_model(code_model_json(model(), "fit_code"), "model"), model());
}

TEST(CodeModel, RefusesWhatIsNone) {
  for (const char* text : {"", "[]", "{}", R"({"core": 1})"})
    EXPECT_THROW((void)parse_code_model(text, "model"), CompileError) << text;
}

// A new kernel is compiled once per core: fit_code (docs/cost.md).
TEST(CodeModel, KnowsEveryKernelOfEveryCore) {
  for (const char* name : {"cortex-m0", "cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7",
                           "cortex-m33", "cortex-m55", "cortex-m85", "rv32imc"}) {
    const Core core = core_named(name);
    const std::optional<CodeModel> known = code_model(name);
    ASSERT_TRUE(known) << name;
    std::vector<std::string> missing;
    for (const KernelInfo& kernel : kernels()) {
      if (core.has(kernel.set) && !known->kernel_stack.contains(kernel.name))
        missing.emplace_back(kernel.name);
    }
    EXPECT_THAT(missing, IsEmpty()) << core.name;
  }
}

}  // namespace
}  // namespace thimble
