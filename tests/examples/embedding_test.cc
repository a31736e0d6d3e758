// SPDX-License-Identifier: Apache-2.0
// An installed Thimble, found by a project that knows nothing of this one: examples/embedding.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "thimble/export/tflite.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

ProcessResult done(const std::vector<std::string>& arguments) {
  ProcessResult result = run_process({.arguments = arguments, .working_folder = {}});
  EXPECT_TRUE(result.succeeded()) << fmt::format("{}", fmt::join(arguments, " ")) << "\n"
                                  << result.out << result.err;
  return result;
}

TEST(Embedding, ExampleGivesTheDriversFiguresAndFiles) {
  const TemporaryFolder folder;
  const std::string prefix = (folder.path() / "installed").string();
  const std::string build = (folder.path() / "build").string();
  const std::string model = (folder.path() / "model.tflite").string();
  done({"cmake", "--install", THIMBLE_BINARY_DIR, "--prefix", prefix});
  done({"cmake", "-S", THIMBLE_SOURCE_DIR "/examples/embedding", "-B", build, "-G", "Ninja",
        "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_COMPILER=" THIMBLE_CXX,
        "-DCMAKE_CXX_FLAGS=" THIMBLE_CXX_FLAGS " -Wall -Wextra -Werror"});
  done({"cmake", "--build", build});
  write_tflite(build_zoo("demo"), model);
  const ProcessResult fits = done({build + "/fit", model, "65536"});
  const Compiled expected =
      std::get<Compiled>(compile({.model = model,
                                  .sram_bytes = 65536,
                                  .emission = Emission{.name = "model", .command = "fit"}}));
  std::string files;
  for (const EmittedFile& file : expected.files)
    files += fmt::format("file {} {}\n", file.path, file.text.size());
  EXPECT_THAT(fits.out, HasSubstr(fmt::format("fits yes\narena_bytes {}\nweight_bytes {}\n",
                                              expected.plan.placement.arena_bytes(),
                                              expected.cost.weight_bytes)));
  EXPECT_THAT(fits.out, HasSubstr(files));
  EXPECT_EQ(fits.err, "planning\nplacing buffers\nverifying\nwriting code\n");
  const auto run = [&](const std::string& file, const char* sram) {
    return run_process({.arguments = {build + "/fit", file, sram}, .working_folder = {}});
  };
  EXPECT_EQ(run(model, "1000").exit_status, 2);
  EXPECT_EQ(run("none.tflite", "1000").exit_status, 1);
  EXPECT_THAT(run("none.tflite", "1000").err, HasSubstr("fit: model: "));
  EXPECT_EQ(done({prefix + "/bin/thimble", "--version"}).out.substr(0, 8), "thimble ");
}

}  // namespace
}  // namespace thimble
