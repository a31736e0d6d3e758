// SPDX-License-Identifier: Apache-2.0
// Files that are cut, flipped or something else altogether: imported or refused, never a crash. Run
// it under the asan preset to see reads out of bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

/// The message of a refusal; empty if the file was taken. Every other exception gets away.
std::string import_message(std::span<const uint8_t> bytes) {
  try {
    (void)import_tflite(bytes, "net", "net.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return {};
}

std::string file_message(const std::filesystem::path& file) {
  try {
    (void)import_tflite(file);
  } catch (const CompileError& error) {
    return error.what();
  }
  return {};
}

std::string text_message(std::string_view text) {
  return import_message(Bytes(text.begin(), text.end()));
}

TEST(DamagedTflite, EveryPrefixIsRefused) {
  const Bytes file = small_network().bytes();
  for (size_t length = 0; length < file.size(); ++length) {
    // A copy of the exact size, so that AddressSanitizer sees a read behind it.
    const Bytes prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string message = import_message(prefix);
    // The last bytes may be padding that nothing refers to.
    if (length + 16 < file.size()) {
      EXPECT_NE(message, "") << length << " bytes";
    }
  }
  EXPECT_EQ(import_message(file), "");
}

TEST(DamagedTflite, SaysThatItIsTruncated) {
  const Bytes file = small_network().bytes();
  EXPECT_EQ(import_message(std::span(file).first(100)),
            "net.tflite: is truncated or damaged: its 100 bytes are not a well-formed flatbuffer");
}

TEST(DamagedTflite, EveryFlippedByteIsTakenOrRefused) {
  const Bytes file = small_network().bytes();
  size_t refused = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (const uint8_t flip : {0x01, 0x04, 0x10, 0x80, 0xFF}) {
      Bytes damaged = file;
      damaged[i] ^= flip;
      if (!import_message(damaged).empty()) ++refused;
    }
  }
  EXPECT_GT(refused, file.size() / 2);
}

TEST(DamagedTflite, EveryWordAtExtremesIsTakenOrRefused) {
  const Bytes file = small_network().bytes();
  for (size_t i = 0; i + 4 <= file.size(); i += 4) {
    for (const uint32_t word : {0U, 1U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU, 0x40000000U}) {
      Bytes damaged = file;
      std::memcpy(damaged.data() + i, &word, 4);
      (void)import_message(damaged);
    }
  }
}

TEST(WrongFormat, Empty) { EXPECT_EQ(import_message(Bytes{}), "net.tflite: is empty"); }

TEST(WrongFormat, Png) {
  EXPECT_EQ(text_message(std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)),
            "net.tflite: is not a TensorFlow Lite model: bytes 4 to 7 are not \"TFL3\" (a PNG "
            "image)");
}

TEST(WrongFormat, Text) {
  EXPECT_EQ(text_message("#!/bin/sh\necho hello, this is not a model\n"),
            "net.tflite: is not a TensorFlow Lite model: bytes 4 to 7 are not \"TFL3\"");
}

TEST(WrongFormat, ZipOfKeras) {
  EXPECT_THAT(text_message(std::string_view("PK\x03\x04\x14\0\0\0\0\0", 10)),
              ::testing::HasSubstr("convert it to .tflite"));
}

TEST(WrongFormat, OnlyTheIdentifier) {
  EXPECT_THAT(text_message(std::string_view("\x08\0\0\0TFL3", 8)),
              ::testing::HasSubstr("is truncated or damaged"));
}

class TfliteFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  (std::to_string(::getpid()) + "." +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(TfliteFiles, NamesTheGraphAfterTheFile) {
  const Bytes bytes = small_network().bytes();
  std::ofstream(folder_ / "net.v2.tflite", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  EXPECT_EQ(import_tflite(folder_ / "net.v2.tflite").name, "net.v2");
}

TEST_F(TfliteFiles, RefusesAMissingFile) {
  const std::filesystem::path file = folder_ / "absent.tflite";
  EXPECT_EQ(file_message(file), file.string() + ": no such file");
}

TEST_F(TfliteFiles, RefusesAFolder) {
  EXPECT_EQ(file_message(folder_), folder_.string() + ": is a folder, not a file");
}

TEST_F(TfliteFiles, RefusesADevice) {
  EXPECT_EQ(file_message("/dev/zero"), "/dev/zero: is not a regular file");
}

TEST_F(TfliteFiles, RefusesAHugeFileWithoutReadingIt) {
  const std::filesystem::path file = folder_ / "huge.tflite";
  std::ofstream(file).put('x');
  std::filesystem::resize_file(file, uint64_t{1} << 40);  // sparse: takes no room
  EXPECT_THAT(file_message(file), ::testing::HasSubstr("at most 4294967296 are supported"));
}

}  // namespace
}  // namespace thimble::testing
