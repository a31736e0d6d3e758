// SPDX-License-Identifier: Apache-2.0
// `thimble zoo`: what is there, and models written for other tools.
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ZooCommand : public CommandLine {};

TEST_F(ZooCommand, ListsNetworksWithTheirParameters) {
  const ProcessResult result = thimble({"zoo", "list"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("zoo:mobilenet_v2"));
  EXPECT_THAT(result.out, HasSubstr("    resolution=224  height and width of the image\n"));
  EXPECT_EQ(thimble({"zoo"}).out, result.out);
}

TEST_F(ZooCommand, WritesAModelThatRunsLikeTheOneInMemory) {
  const ProcessResult built = thimble({"zoo", "build", "ds_cnn_s", "-o", "m.tflite"});
  EXPECT_EQ(built.exit_status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("m.tflite: 12 operators, 2,656,768 MACs, "));
  const auto outputs = [&](const std::string& model, const std::string& file) {
    EXPECT_EQ(thimble({"run", model, "--on", "host", "--output-file", file}).exit_status, 0);
    return read(file);
  };
  EXPECT_EQ(outputs("m.tflite", "a.safetensors"), outputs("zoo:ds_cnn_s", "b.safetensors"));
}

TEST_F(ZooCommand, RefusesWhatItCannotDo) {
  EXPECT_THAT(thimble({"zoo", "build", "lenet", "-o", "m.tflite"}).err,
              HasSubstr("zoo:lenet: there is no such network; there are "));
  EXPECT_THAT(thimble({"zoo", "build", "res8:x=1", "-o", "m.tflite"}).err,
              HasSubstr("there is no parameter 'x'"));
  EXPECT_EQ(thimble({"zoo", "build", "res8"}).exit_status, 1);
  const ProcessResult unwritable = thimble({"zoo", "build", "res8", "-o", "none/m.tflite"});
  EXPECT_EQ(unwritable.exit_status, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("none/m.tflite"));
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace thimble::testing
