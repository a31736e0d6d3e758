// SPDX-License-Identifier: Apache-2.0
// Tensors in files of ONNX's test data and of numpy's archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/onnx/onnx_case.h"
#include "tests/support/zip_archive.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/temporary.h"
#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

TEST(TensorFiles, OfOnnxsTestDataAreNumbered) {
  const std::vector<OnnxCase> cases = onnx_cases("debian/node");
  const auto add = std::ranges::find(cases, "add", &OnnxCase::name);
  if (add == cases.end()) GTEST_SKIP() << "needs libonnx-testdata";
  const std::filesystem::path folder = add->model.parent_path() / "test_data_set_0";
  const TensorFile content = read_tensors(folder);
  ASSERT_EQ(content.tensors.size(), 3U);
  EXPECT_EQ(content.tensors.at("input.1").shape, (Shape{3, 4, 5}));
  EXPECT_EQ(read_tensors(folder / "output_0.pb").tensors.at("input.0"),
            content.tensors.at("output.0"));
}

TEST(TensorFiles, OfNumpysArchivesHaveTheirNames) {
  const Temporary folder(Temporary::Kind::kFolder, "");
  const NamedTensor tensor{DType::kInt8, {1, 3}, {1, 2, 3}};
  write_npy(folder.path() / "a.npy", tensor);
  const Bytes npy = read_file(folder.path() / "a.npy", 1 << 20);
  const std::string archive = zip_archive("image.npy", std::string(npy.begin(), npy.end()), true);
  std::ofstream(folder.path() / "one.npz", std::ios::binary) << archive;
  EXPECT_EQ(read_tensors(folder.path() / "one.npz").tensors,
            (std::map<std::string, NamedTensor>{{"image", tensor}}));
  std::ofstream(folder.path() / "half.npz", std::ios::binary)
      << archive.substr(0, archive.size() / 2);
  EXPECT_THROW((void)read_tensors(folder.path() / "half.npz"), CompileError);
  EXPECT_THROW((void)read_tensors(folder.path()), CompileError);  // a folder of something else
}

}  // namespace
}  // namespace thimble::testing
