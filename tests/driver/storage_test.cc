// SPDX-License-Identifier: Apache-2.0
// Block storage that requests name, and what plans move there.
#include "thimble/driver/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/model/error.h"
#include "thimble/report/note_text.h"
#include "thimble/report/run_report.h"
#include "thimble/target/device.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

RequestedStorage storage_of(const std::string& text) {
  Request request{.target = find_target("nucleo-f446re")};
  request.storage = text;
  return requested_storage(request).value();
}

std::string message_of(const std::string& text) {
  try {
    (void)storage_of(text);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(RequestedStorage, IsTheDevicesOrIsDescribed) {
  const RequestedStorage flash = storage_of("flash_upper");
  EXPECT_EQ(flash.memory.storage->write_bytes, 4);
  EXPECT_EQ(flash.memory.storage->erase_bytes, 128 * 1024);
  EXPECT_EQ(flash.chunk_bytes, 0);
  const RequestedStorage card = storage_of("card:write=512,size=1M,queue=3");
  EXPECT_EQ(card.memory.storage,
            (BlockStorage{.write_bytes = 512, .erase_bytes = 0, .most_in_flight = 3}));
  EXPECT_EQ(card.memory.capacity_bytes, 1 << 20);
  EXPECT_FALSE(requested_storage(Request{}).has_value());
}

TEST(RequestedStorage, IsCompressedInChunks) {
  EXPECT_EQ(storage_of("card:write=32,compress").chunk_bytes, 256);
  EXPECT_EQ(storage_of("card:compress=1K,write=32").chunk_bytes, 1024);
  const RequestedStorage flash = storage_of("flash_upper,compress=64,queue=1");
  EXPECT_EQ(flash.chunk_bytes, 64);
  EXPECT_EQ(flash.memory.storage->write_bytes, 4);
  EXPECT_EQ(flash.memory.storage->most_in_flight, 1);
}

TEST(RequestedStorage, OtherTextsAreRefused) {
  EXPECT_THAT(message_of("card:compres"),
              HasSubstr("there is no 'compres'; there are: write, erase, size, queue, compress"));
  EXPECT_THAT(message_of("card:compress=0"), HasSubstr("a chunk has bytes"));
  EXPECT_THAT(message_of("card:compress=x"), HasSubstr("compress=x is no size"));
  EXPECT_THAT(message_of("card:write=3"), HasSubstr("its granule is no power of two"));
  EXPECT_THAT(message_of("card,compress"), HasSubstr("has no storage 'card'; it has flash_upper"));
}

TEST(RequestedStorage, OfCompressedTensorsLessIsMoved) {
  Request request{.model = "zoo:unet", .planner = "tinyseg"};
  request.storage = "card:write=32";
  const auto moved = [&](const Compiled& compiled) {
    const InputCase noise = seeded_case(compiled.graph, 1);
    const Inferences inferences = run_host(compiled, {noise, noise});
    return inferences.moved.value();
  };
  const auto compiled = [&] { return std::get<Compiled>(compile(request)); };
  const Compiled plain = compiled();
  const StorageTraffic all = moved(plain);
  EXPECT_EQ(all.moved, all.most);
  EXPECT_GT(all.moved.written, 0);
  request.storage += ",compress";
  const Compiled shorter = compiled();
  const StorageTraffic some = moved(shorter);
  EXPECT_EQ(some.most, all.most);
  EXPECT_LT(some.moved.written, some.most.written);
  EXPECT_LT(some.moved.read, some.most.read);
  const auto note = [](const Compiled& of) { return sentence(of.notes.at(0), of.graph); };
  EXPECT_THAT(note(shorter), HasSubstr("at most "));
  EXPECT_THAT(note(shorter), HasSubstr(" read per inference, compressed"));
}

}  // namespace
}  // namespace thimble
