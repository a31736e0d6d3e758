// SPDX-License-Identifier: Apache-2.0
// Block storage that requests name, and what plans move there.
#include "thimble/driver/storage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/driver/simulation.h"
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
  EXPECT_THAT(message_of("card:compress=0"), HasSubstr("compress must be above 0"));
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

// Speeds that nobody knows are 1 MB/s, without a clock at 100 MHz.
TEST(RequestedStorage, HasCyclesForSearches) {
  const TransferCycles unknown = storage_cycles({}, 0);
  EXPECT_DOUBLE_EQ(unknown.read_byte, 100);
  EXPECT_DOUBLE_EQ(unknown.write_byte, 100);
  EXPECT_EQ(unknown.erase_block, 0);
  EXPECT_TRUE(unknown.beside);
  const RequestedStorage card =
      storage_of("card:write=512,read_speed=4M,access_time=0.001,erase_time=0.5,stalls=yes");
  const TransferCycles known = storage_cycles(card.figures, 200'000'000);
  EXPECT_DOUBLE_EQ(known.read_byte, 200e6 / (4 << 20));
  EXPECT_DOUBLE_EQ(known.write_byte, 200);
  EXPECT_DOUBLE_EQ(known.access, 200'000);
  EXPECT_DOUBLE_EQ(known.erase_block, 100e6);
  EXPECT_FALSE(known.beside);
}

TEST(RequestedStorage, IsGivenOnceAndAsLargeAsItIs) {
  EXPECT_THAT(message_of("card:write=4,write=8"), HasSubstr("'write' is given twice"));
  EXPECT_THAT(message_of("card:write=4,,size=1M"), HasSubstr("there is no key in a part of"));
  EXPECT_THAT(message_of("card:write=4,"), HasSubstr("there is no key in a part of"));
  EXPECT_THAT(message_of("flash_upper,size=99M"), HasSubstr("which is less than size="));
  EXPECT_THAT(message_of("card:queue=65"), HasSubstr("not 1 to 64"));
}

// Names of storages are names of the emitted code.
TEST(RequestedStorage, HasANameOfItsOwn) {
  for (const std::string name : {"int", "for", "input", "output_0", "flash", "arena"})
    EXPECT_THAT(message_of(name + ":write=4"), HasSubstr(name + "_storage")) << name;
  Request request;
  const auto add = [&](const std::string& name, int64_t block) {
    request.target.memories.push_back(
        {.name = name,
         .kind = MemoryKind::kBlockStorage,
         .banks = {},
         .storage = StorageFigures{.write_granule_bytes = 4, .erase_block_bytes = block}});
  };
  add("Flash", 0);
  add("SPI flash", 4096);
  add("spi_flash", 1024);
  request.storage = "Flash";
  EXPECT_EQ(requested_storage(request)->memory.name, "flash_storage");
  request.storage = "spi_flash";
  EXPECT_EQ(requested_storage(request)->memory.storage->erase_bytes, 1024) << "called just so";
  request.storage = "SPI flash";
  EXPECT_EQ(requested_storage(request)->memory.storage->erase_bytes, 4096);
}

// Where moving costs little groups are written down tile by tile, too.
TEST(AutoSpills, OnFastStorageToo) {
  for (const std::string storage : {"write=1,read_speed=40M,write_speed=40M",
                                    "write=256,erase=4K,size=64K,read_speed=1G,"
                                    "write_speed=1G",
                                    "write=512,queue=1,read_speed=1G,write_speed=1G,compress"}) {
    for (const int resolution : {16, 24, 32}) {
      Request request{.model = fmt::format("zoo:unet:resolution={}", resolution)};
      request.storage = "s:" + storage;
      const Answer answer = compile(request);
      ASSERT_TRUE(std::holds_alternative<Compiled>(answer)) << storage;
      const auto& found = std::get<Compiled>(answer);
      EXPECT_TRUE(found.verification.ok()) << storage << ": " << found.verification.fault;
      EXPECT_EQ(run_host(found, {seeded_case(found.graph, 1)}).difference, "") << storage;
    }
  }
}

// Granules that rows fill in part are written whole.
TEST(AutoSpills, NoMoreThanIsAllowedWithWhatFillsGranules) {
  Request request{.model = "zoo:unet:resolution=16"};
  request.max_latency = std::numeric_limits<double>::infinity();
  request.storage = "card:write=2048,write_speed=1G,read_speed=1G";
  for (const int64_t most : {int64_t{2048}, int64_t{32768}, int64_t{1} << 20}) {
    request.planner = fmt::format("auto:written={}", most);
    const Answer answer = compile(request);
    SimulationRequest wanted;
    wanted.seconds_per_mac = 1e-9;
    const auto& found = std::get<Compiled>(answer);
    int64_t written = 0;
    for (const SimulatedStorage& one :
         simulation_report(request, found, wanted).simulation.storages)
      written += one.work.amounts[static_cast<size_t>(ChannelWork::kWrite)];
    EXPECT_LE(written, most);
    if (most == int64_t{1} << 20) {
      EXPECT_GT(written, 0) << "there is something to bound";
    }
  }
}

// Within a budget that needs it, and no more than may be written; without need nothing is spilled.
TEST(AutoSpills, WhereTheBudgetAsksForIt) {
  const auto compiled = [](int64_t sram, const std::string& planner) {
    Request request{.model = "zoo:unet:resolution=32", .planner = planner};
    request.target.core.name = "cortex-m4";
    request.sram_bytes = sram;
    request.storage = "card:write=32,read_speed=1M,write_speed=1M";
    return compile(request);
  };
  const auto written = [](const Compiled& found) {
    int64_t bytes = 0;
    for (const Note& note : found.notes) {
      if (const auto* spilled = std::get_if<note::Spilled>(&note)) bytes += spilled->written_bytes;
    }
    return bytes;
  };
  const Answer roomy = compiled(1 << 20, "auto");
  ASSERT_TRUE(std::holds_alternative<Compiled>(roomy));
  EXPECT_EQ(written(std::get<Compiled>(roomy)), 0);
  Request plain{.model = "zoo:unet:resolution=32"};
  plain.target.core.name = "cortex-m4";
  plain.max_latency = std::numeric_limits<double>::infinity();
  plain.max_recompute = 0;
  const int64_t least = std::get<Compiled>(compile(plain)).plan.placement.arena_bytes();
  const Answer tight = compiled(least * 9 / 10, "auto");
  ASSERT_TRUE(std::holds_alternative<Compiled>(tight));
  const auto& spilled = std::get<Compiled>(tight);
  EXPECT_LE(spilled.plan.placement.arena_bytes(), least * 9 / 10);
  EXPECT_TRUE(spilled.verification.ok());
  const int64_t bytes = written(spilled);
  EXPECT_GT(bytes, 0);
  const InputCase noise = seeded_case(spilled.graph, 1);
  EXPECT_EQ(run_host(spilled, {noise}).difference, "");
  const Answer bounded = compiled(least * 9 / 10, "auto:written=" + std::to_string(bytes - 1));
  const auto* other = std::get_if<Compiled>(&bounded);
  if (other != nullptr) {
    EXPECT_LT(written(*other), bytes);
  }
}

// What is written takes a microjoule for each hundred bytes: a bound on energy is one on bytes, and
// what `thimble simulate` counts is within it.
TEST(AutoSpills, WithinABoundOnEnergy) {
  Request request{.model = "zoo:unet:resolution=32"};
  request.max_latency = std::numeric_limits<double>::infinity();
  request.storage = "card:write=32,erase=4K,read_energy=0,write_energy=10,erase_energy=0.5";
  const auto joules = [&](const std::string& planner) {
    request.planner = planner;
    const Answer answer = compile(request);
    SimulationRequest wanted;
    wanted.seconds_per_mac = 1e-9;
    double sum = 0;
    const Compiled& found = std::get<Compiled>(answer);
    for (const SimulatedStorage& one :
         simulation_report(request, found, wanted).simulation.storages)
      sum += one.joules().value();
    return sum;
  };
  const double most = joules("auto");
  ASSERT_GT(most, 0);
  const auto half = static_cast<int64_t>(most * 1e6 / 2);
  EXPECT_LE(joules(fmt::format("auto:microjoules={}", half)), static_cast<double>(half) / 1e6);
  EXPECT_EQ(joules("auto:microjoules=0"), 0);
  request.storage = "card:write=32,erase=4K,read_energy=1,write_energy=1";  // of blocks: not known
  EXPECT_THAT([&] { (void)joules("auto:microjoules=1"); },
              ::testing::ThrowsMessage<CompileError>(HasSubstr("nobody knows what card takes")));
}

TEST(AutoSpills, NoMoreThanTheStorageHolds) {
  Request request{.model = "zoo:unet:resolution=32"};
  request.target.core.name = "cortex-m4";
  request.max_latency = std::numeric_limits<double>::infinity();
  request.storage = "card:write=32,size=1K";
  const Answer found = compile(request);
  ASSERT_TRUE(std::holds_alternative<Compiled>(found));
  EXPECT_TRUE(std::get<Compiled>(found).verification.ok());
  request.max_latency.reset();
  request.planner = "tinyseg";
  try {
    (void)compile(request);
    ADD_FAILURE() << "taken";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("card holds 1024 B, and what is to be spilled takes 8192 B"));
  }
  // Two thousand bytes, of which a block has twice as many.
  request.storage = "card:size=2048,erase=4096";
  EXPECT_THAT([&] { (void)compile(request); },
              ::testing::ThrowsMessage<CompileError>(HasSubstr("card holds 2048 B")));
  request.planner = "auto";
  const Answer none = compile(request);
  EXPECT_TRUE(std::get<Compiled>(none).verification.ok());
}

Request from_card(int64_t flash_bytes) {
  return {.model = "zoo:mobilenet_v1:width=0.25,resolution=64",
          .target = generic_target("cortex-m3"),
          .sram_bytes = 48 << 10,
          .flash_bytes = flash_bytes,
          .storage = "card:write=512,size=4M",
          .emission = Emission{}};
}

TEST(WeightsFromStorage, AreWhatFlashHasNoRoomFor) {
  const auto with = [](int64_t flash) { return std::get<Compiled>(compile(from_card(flash))); };
  const Compiled none = with(1 << 20), some = with(400 << 10), all = with(64 << 10);
  int64_t before = 0;
  for (const Compiled* compiled : {&none, &some, &all}) {
    EXPECT_TRUE(compiled->verdict.fits());
    const auto brought = std::ranges::find_if(compiled->notes, [](const Note& note) {
      return std::holds_alternative<note::BroughtConstants>(note);
    });
    const auto image = std::ranges::find_if(
        compiled->files, [](const EmittedFile& file) { return file.path.ends_with("_card.img"); });
    EXPECT_EQ(brought == compiled->notes.end(), compiled == &none);
    EXPECT_EQ(image == compiled->files.end(), compiled == &none);
    if (compiled == &none) continue;
    const auto& note = std::get<note::BroughtConstants>(*brought);
    EXPECT_GT(note.image_bytes, before);
    EXPECT_EQ(note.image_bytes,
              std::ssize(image->text) + (512 - std::ssize(image->text) % 512) % 512);
    EXPECT_THAT(sentence(*brought, compiled->graph), HasSubstr("come from card"));
    before = note.image_bytes;
  }
  Request without = from_card(64 << 10);
  without.storage.clear();
  EXPECT_TRUE(std::holds_alternative<Infeasible>(compile(without)));
}

TEST(WeightsFromStorage, MoveNoMoreThanIsAsked) {
  Request request = from_card(64 << 10);
  const auto moved = [](const Compiled& compiled) {
    const MovedBytes bytes = most_moved(compiled.program);
    return bytes.read + bytes.written;
  };
  const int64_t fast = moved(std::get<Compiled>(compile(request)));
  request.planner = fmt::format("auto:moved={}", fast);
  EXPECT_LE(moved(std::get<Compiled>(compile(request))), fast);
  request.planner = "auto:moved=1000";
  EXPECT_TRUE(std::holds_alternative<Infeasible>(compile(request)));
}

}  // namespace
}  // namespace thimble
