// SPDX-License-Identifier: Apache-2.0
// .safetensors and .npy: round trips, damage, and writes that leave nothing half-written behind.
#include "thimble/import/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <set>

#include "tests/support/workload.h"
#include "tflite_builder.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const CompileError& error) {
    return error.what();
  }
  return {};
}

class TensorFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path put(const std::string& name, std::string_view content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  /// A .safetensors file with that header and data.
  fs::path put_safetensors(std::string_view header, size_t data_bytes) const {
    std::string content(8, '\0');
    content[0] = static_cast<char>(header.size());
    content += header;
    content += std::string(data_bytes, 'd');
    return put("t.safetensors", content);
  }
  std::string safetensors_message(std::string_view header, size_t data_bytes) const {
    const fs::path file = put_safetensors(header, data_bytes);
    return message_of([&] { (void)read_safetensors(file); });
  }
  std::string npy_message(std::string_view content) const {
    const fs::path file = put("t.npy", content);
    return message_of([&] { (void)read_npy(file); });
  }
  [[nodiscard]] size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::to_string(::getpid()) + "." +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

NamedTensor sample(DType type, Shape shape) {
  NamedTensor tensor{.type = type, .shape = std::move(shape), .data = {}};
  tensor.data = random_bytes(type, elements(tensor.shape), 7);
  return tensor;
}

constexpr DType kTypes[] = {DType::kBool,  DType::kInt8,  DType::kUInt8,  DType::kInt16,
                            DType::kInt32, DType::kInt64, DType::kFloat32};

TEST_F(TensorFiles, SafetensorsRoundTrip) {
  TensorFile content;
  for (DType type : kTypes) content.tensors[name(type)] = sample(type, {2, 3});
  content.tensors["scalar"] = sample(DType::kFloat32, {});
  content.tensors["empty"] = sample(DType::kInt8, {0, 4});
  content.metadata = {{"seed", "1"}, {"quote\"d", "caf\xC3\xA9"}};
  write_safetensors(folder_ / "t.safetensors", content);
  const TensorFile back = read_safetensors(folder_ / "t.safetensors");
  EXPECT_EQ(back.tensors, content.tensors);
  EXPECT_EQ(back.metadata, content.metadata);
  EXPECT_EQ(files(), 1U);
}

TEST_F(TensorFiles, SafetensorsHeaderIsAsTheFormatSays) {
  const fs::path file = put_safetensors(
      R"({"__metadata__":{"a":"b"},"x":{"dtype":"I16","shape":[1,2],"data_offsets":[0,4]}})", 4);
  const TensorFile content = read_safetensors(file);
  EXPECT_EQ(content.tensors.at("x").shape, (Shape{1, 2}));
  EXPECT_EQ(content.tensors.at("x").data, Bytes(4, 'd'));
  EXPECT_EQ(content.metadata.at("a"), "b");
}

TEST_F(TensorFiles, NpyRoundTrip) {
  for (DType type : kTypes) {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}, Shape{1, 2, 3, 4}}) {
      const NamedTensor tensor = sample(type, shape);
      write_npy(folder_ / "t.npy", tensor);
      EXPECT_EQ(read_npy(folder_ / "t.npy"), tensor) << name(type) << " " << to_string(shape);
    }
  }
}

TEST_F(TensorFiles, NpyDataBeginsAtAMultipleOf64) {
  write_npy(folder_ / "t.npy", sample(DType::kInt8, {3}));
  EXPECT_EQ(fs::file_size(folder_ / "t.npy") % 64, 3U);
}

TEST_F(TensorFiles, ReadsNpyAsNumpyWritesIt) {
  std::string content("\x93NUMPY\x01\x00v\x00", 10);
  content += "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  content.resize(10 + 'v' - 1, ' ');
  content += "\n\x01\x02\x03\x04";
  const NamedTensor tensor = read_npy(put("t.npy", content));
  EXPECT_EQ(tensor, (NamedTensor{DType::kInt16, {2}, {1, 2, 3, 4}}));
}

TEST_F(TensorFiles, ReadsNpyVersion2) {
  std::string content("\x93NUMPY\x02\x00\x37\x00\x00\x00", 12);
  content += "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}";
  content += "z";
  EXPECT_EQ(read_npy(put("t.npy", content)).data, Bytes{'z'});
}

std::string npy(std::string_view header, std::string_view data = "") {
  std::string content("\x93NUMPY\x01\x00", 8);
  content += static_cast<char>(header.size());
  content += '\0';
  return content.append(header).append(data);
}

TEST_F(TensorFiles, RefusesDamagedNpy) {
  using ::testing::HasSubstr;
  EXPECT_THAT(npy_message("PK not numpy"), HasSubstr("is not a .npy file"));
  EXPECT_THAT(npy_message("\x93NUMPY"), HasSubstr("is truncated"));
  EXPECT_THAT(npy_message("\x93NUMPY\x09......"), HasSubstr("version 9 is not supported"));
  EXPECT_THAT(npy_message("\x93NUMPY\x01.\x7F\x7F{     "), HasSubstr("is truncated: the header"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i2'")), HasSubstr("its header cannot be read"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i2', 'shape': (2")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_message(npy("{'descr': '<f8', 'fortran_order': False, 'shape': ()}")),
              HasSubstr("type '<f8' is not supported; supported are little-endian b1"));
  EXPECT_THAT(npy_message(npy("{'descr': '>i2', 'fortran_order': False, 'shape': ()}")),
              HasSubstr("type '>i2' is not supported"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2,)}")),
              HasSubstr("Fortran order is not supported"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", "abc")),
              HasSubstr("3 bytes of data for shape 2 of int16"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, "
                              "4294967296, 4294967296)}")),
              HasSubstr("0 bytes of data"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, "
                              "4294967296, 0)}")),
              HasSubstr("0 bytes of data"));
  EXPECT_THAT(npy_message(npy("{'descr': '<i2', 'shape': (99999999999999999999,)}")),
              HasSubstr("cannot be read"));
}

TEST_F(TensorFiles, EveryCutNpyIsRefused) {
  const std::string whole =
      npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "abcd");
  EXPECT_EQ(npy_message(whole), "");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(npy_message(std::string_view(whole).substr(0, length)), "") << length;
  }
}

TEST_F(TensorFiles, RefusesDamagedSafetensors) {
  using ::testing::HasSubstr;
  const auto message = [&](std::string_view header) { return safetensors_message(header, 4); };
  EXPECT_THAT(message("{"), HasSubstr("its header is not JSON"));
  EXPECT_THAT(message("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(message(R"({"x":1})"),
              HasSubstr("tensor 'x': is damaged: its header is not an object"));
  EXPECT_THAT(message(R"({"x":{"shape":[4],"data_offsets":[0,4]}})"), HasSubstr("has no dtype"));
  EXPECT_THAT(message(R"({"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})"),
              HasSubstr("dtype BF16 is not supported; supported are BOOL, I8"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[5],"data_offsets":[0,4]}})"),
              HasSubstr("4 bytes of data for shape 5 of int8"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[-4],"data_offsets":[0,4]}})"),
              HasSubstr("shape is not a list of sizes"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[4.0],"data_offsets":[0,4]}})"),
              HasSubstr("shape is not a list of sizes"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[4294967296,4294967296,4294967296],)"
                      R"("data_offsets":[0,4]}})"),
              HasSubstr("4 bytes of data for shape 4294967296x"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[5],"data_offsets":[0,5]}})"),
              HasSubstr("data_offsets are not an interval of the 4 bytes"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[4,3]}})"),
              HasSubstr("data_offsets are not an interval"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}})"),
              HasSubstr("1 bytes behind the last tensor"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[3],"data_offsets":[1,4]}})"),
              HasSubstr("has a hole before it"));
  EXPECT_THAT(message(R"({"x":{"dtype":"I8","shape":[3],"data_offsets":[0,3]},)"
                      R"("y":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}})"),
              HasSubstr("tensor 'y' overlaps another"));
  EXPECT_THAT(message("[[[[[[[[[[]]]]]]]]]]"), HasSubstr("nested more than 3 deep"));
  EXPECT_THAT(message(R"({"__metadata__":{"a":1}})"), HasSubstr("metadata 'a' is not a string"));
}

TEST_F(TensorFiles, RefusesTensorsOfOneName) {
  EXPECT_THAT(safetensors_message(R"({"x":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},)"
                                  R"("x":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}})",
                                  4),
              ::testing::HasSubstr("the key 'x' stands there twice"));
}

// The time limit of tests is what it would run into if each entry looked at all others.
TEST_F(TensorFiles, ReadsHundredsOfThousandsOfTensors) {
  constexpr int kTensors = 200'000 / testing::kOneIn;
  TensorFile many;
  for (int k = 0; k < kTensors; ++k)
    many.tensors[std::to_string(k)] = {.type = DType::kInt8, .shape = {1}, .data = {7}};
  const fs::path file = put("many.safetensors", "");
  write_safetensors(file, many);
  EXPECT_EQ(read_safetensors(file).tensors.size(), size_t{kTensors});
}

TEST_F(TensorFiles, RefusesAHeaderLongerThanTheFile) {
  const fs::path file = put("t.safetensors", std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10));
  EXPECT_THAT(message_of([&] { (void)read_safetensors(file); }),
              ::testing::HasSubstr("is truncated, or not a .safetensors file"));
}

TEST_F(TensorFiles, EveryCutSafetensorsIsRefused) {
  TensorFile content;
  content.tensors["x"] = sample(DType::kInt8, {9});
  write_safetensors(folder_ / "whole", content);
  std::ifstream in(folder_ / "whole", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (size_t length = 0; length < whole.size(); ++length) {
    const fs::path file = put("cut", std::string_view(whole).substr(0, length));
    EXPECT_NE(message_of([&] { (void)read_safetensors(file); }), "") << length;
  }
}

TEST_F(TensorFiles, WritesIntoAMissingFolderAreRefused) {
  const fs::path file = folder_ / "absent" / "t.npy";
  EXPECT_EQ(message_of([&] { write_npy(file, sample(DType::kInt8, {1})); }),
            file.string() + ": cannot write: No such file or directory");
}

TEST_F(TensorFiles, WritesOntoAFolderAreRefused) {
  EXPECT_EQ(message_of([&] { write_npy(folder_, sample(DType::kInt8, {1})); }),
            folder_.string() + ": cannot write: is a folder");
  EXPECT_EQ(files(), 0U);
}

TEST_F(TensorFiles, AFullDeviceIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(message_of([&] { write_npy("/dev/full", sample(DType::kInt8, {1})); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

/// Files of this process cannot grow above `bytes` while it lives: a full disk without a disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(TensorFiles, AFailedWriteKeepsTheOldFileAndNoTemporary) {
  const NamedTensor old = sample(DType::kInt8, {3});
  const fs::path file = folder_ / "t.npy";
  write_npy(file, old);
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = message_of([&] { write_npy(file, sample(DType::kInt8, {100'000})); });
  }
  EXPECT_EQ(message, file.string() + ": cannot write: File too large");
  EXPECT_EQ(read_npy(file), old);
  EXPECT_EQ(files(), 1U);
}

TEST_F(TensorFiles, ALinkStaysALink) {
  write_npy(folder_ / "real.npy", sample(DType::kInt8, {1}));
  fs::create_symlink(folder_ / "real.npy", folder_ / "link.npy");
  write_npy(folder_ / "link.npy", sample(DType::kInt8, {2}));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.npy"));
  EXPECT_EQ(read_npy(folder_ / "real.npy").shape, Shape{2});
  // Also to a file that is not there yet.
  fs::create_symlink("later.npy", folder_ / "early.npy");
  fs::create_symlink("early.npy", folder_ / "earlier.npy");
  write_npy(folder_ / "earlier.npy", sample(DType::kInt8, {3}));
  EXPECT_TRUE(fs::is_symlink(folder_ / "early.npy") && fs::is_symlink(folder_ / "earlier.npy"));
  EXPECT_EQ(read_npy(folder_ / "later.npy").shape, Shape{3});
}

TEST(RandomBytes, AreTheSameEverywhere) {
  EXPECT_EQ(random_bytes(DType::kInt8, 8, 1), random_bytes(DType::kUInt8, 8, 1));
  EXPECT_NE(random_bytes(DType::kInt8, 8, 1), random_bytes(DType::kInt8, 8, 2));
  EXPECT_NE(random_bytes(DType::kInt8, 8, 1),
            random_bytes(DType::kInt8, 8, (uint64_t{1} << 32) + 1));
  EXPECT_NE(random_bytes(DType::kInt8, 8, 0), Bytes(8, 0));
  EXPECT_TRUE(random_bytes(DType::kInt64, 0, 1).empty());
}

TEST(RandomBytes, FloatsSpreadOverMinusOneToOne) {
  const Bytes bytes = random_bytes(DType::kFloat32, 10'000, 3);
  std::vector<float> values(10'000);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  const auto [lowest, highest] = std::ranges::minmax(values);
  EXPECT_GE(lowest, -1.0F);
  EXPECT_LT(lowest, -0.99F);
  EXPECT_LT(highest, 1.0F);
  EXPECT_GT(highest, 0.99F);
}

TEST(RandomBytes, Int8CoversItsRange) {
  const Bytes bytes = random_bytes(DType::kInt8, 10'000, 3);
  EXPECT_EQ(std::set<uint8_t>(bytes.begin(), bytes.end()).size(), 256U);
}

}  // namespace
}  // namespace thimble::testing
