// SPDX-License-Identifier: Apache-2.0
// The interface of tflite::MicroInterpreter in front of two models, compiled for the host.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "thimble/driver/driver.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/reference/interpreter.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// Emits the network; the line that its output is shown as.
std::string emitted(const std::string& zoo, const std::string& name,
                    const std::filesystem::path& folder) {
  const Request request{
      .model = "zoo:" + zoo,
      .planner = "reorder",
      .emission = Emission{.name = name, .command = "a test", .micro_interpreter = true}};
  const Compiled compiled = std::get<Compiled>(compile(request));
  write_folder(folder / name, {name, {name, compiled.sha256}, compiled.files});
  Bytes input(static_cast<size_t>(compiled.program.inputs[0].size_bytes));
  for (size_t k = 0; k < input.size(); ++k) input[k] = static_cast<uint8_t>((k * 7 + 3) % 256);
  const Graph& graph = compiled.graph;
  std::string line = "output";
  const TensorValues values = interpret(graph, {input});
  for (const uint8_t value : values[graph.outputs[0].tensor.index()])
    line += fmt::format(" {}", static_cast<int>(static_cast<int8_t>(value)));
  return line + "\n";
}

TEST(MicroInterpreter, IsThereForTwoModelsAndAtItsEdges) {
  const TemporaryFolder folder;
  const std::string demo = emitted("demo", "demo", folder.path());
  const std::string other = emitted("ds_cnn_s", "other", folder.path());
  const ProcessResult built = run_process(
      {.arguments =
           {"sh", "-c",
            "c++ -std=c++17 -O1 -Wall -Wextra -Werror -Wpedantic -DTHIMBLE_HOOKS -I demo "
            "-I other -I demo/thimble_micro_interpreter " THIMBLE_SOURCE_DIR
            "/tests/emit/micro_interpreter_main.cc $(find demo other -name '*.cc') -o app"},
       .working_folder = folder.path().string()});
  ASSERT_TRUE(built.succeeded()) << built.err;
  const ProcessResult result = run_process(
      {.arguments = {(folder.path() / "app").string()}, .working_folder = folder.path().string()});
  ASSERT_TRUE(result.succeeded());
  EXPECT_THAT(result.out, HasSubstr("demo: input 0: AllocateTensors comes first\n"));
  EXPECT_THAT(result.out, HasSubstr("demo: the arena has 0 bytes and needs "));
  EXPECT_THAT(result.out, HasSubstr("demo: there is no output 1\n"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("false: "))) << "what should hold";
  EXPECT_TRUE(result.out.ends_with(demo + other)) << result.out << demo << other;
}

TEST(MicroInterpreter, RefusesWhatDoesNotLieInOneArena) {
  const Request request{
      .model = "zoo:demo",
      .ports = {.input = Place::kUser},
      .emission = Emission{.name = "demo", .command = "a test", .micro_interpreter = true}};
  EXPECT_THROW((void)compile(request), CompileError);
}

}  // namespace
}  // namespace thimble
