// SPDX-License-Identifier: Apache-2.0
// Networks that spill on emulated boards, with the drivers that ship: flash of an nRF51, a host at
// the end of the UART, an SD card.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/board_storage.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/measure.h"
#include "thimble/driver/run.h"
#include "thimble/model/error.h"
#include "thimble/target/device.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

Compiled spilling(const std::string& model, const std::string& core, const std::string& storage) {
  return std::get<Compiled>(compile(
      {.model = model, .target = generic_target(core), .storage = storage, .planner = "tinyseg"}));
}

struct OnBoard {
  Measured measured;
  int64_t sram_bytes = 0;  ///< arena, the driver's state, and the deepest stack
};

// An inference twice over: what the first one left in storage is in nobody's way.
OnBoard run_twice(const Compiled& compiled, const std::string& core, StorageDriver driver) {
  const InputCase noise = seeded_case(compiled.graph, 1);
  const std::vector<InputSet> sets(2, InputSet{noise.inputs});
  const FirmwareModel model{"spilled", emitted_files(compiled, {.name = "spilled"}),
                            &compiled.program};
  OnBoard result{.measured = measure({model}, core, sets, {}, driver)};
  const Inferences expected = run_reference(compiled.graph, {noise});
  for (const std::vector<EmulatedRun>& runs : result.measured.sets) {
    EXPECT_TRUE(runs.at(0).guards_intact());
    EXPECT_EQ(runs.at(0).outputs, expected.outputs.at(0));
    result.sram_bytes = compiled.program.arena_bytes() + result.measured.size.static_ram_bytes +
                        runs.at(0).stack_bytes;
  }
  return result;
}

TEST(SpilledOnTheBoard, AUnetInFlashOfAMicrobit) {
  const Compiled compiled =
      spilling("zoo:unet:resolution=16", "cortex-m0", "spare:write=4,erase=1K,size=64K");
  const OnBoard run = run_twice(compiled, "cortex-m0", StorageDriver::kOwnFlash);
  EXPECT_EQ(run.measured.machine, "microbit");
  EXPECT_LT(run.sram_bytes, 16 << 10);
  EXPECT_GE(run.measured.size.static_ram_bytes, 40) << "of the driver";
  RecordProperty("sram_bytes", std::to_string(run.sram_bytes));
}

// On a board with 64 KB of SRAM, through the project's own driver.
TEST(SpilledOnTheBoard, AUnetOnAnSdCard) {
  const Compiled compiled =
      spilling("zoo:unet:resolution=32", "cortex-m3", "card:write=512,size=1M");
  const OnBoard run = run_twice(compiled, "cortex-m3", StorageDriver::kSdCard);
  EXPECT_EQ(run.measured.machine, "lm3s6965evb");
  EXPECT_LT(run.sram_bytes, 64 << 10);
  EXPECT_GE(run.measured.size.static_ram_bytes, 36) << "of the driver";
  RecordProperty("sram_bytes", std::to_string(run.sram_bytes));
}

// Weights that flash has no room for, on a card, and maps that the arena has none for.
TEST(SpilledOnTheBoard, WeightsOnAnSdCard) {
  const Compiled compiled =
      std::get<Compiled>(compile({.model = "zoo:mobilenet_v1:width=0.25,resolution=64",
                                  .target = generic_target("cortex-m3"),
                                  .sram_bytes = 20 << 10,
                                  .flash_bytes = 100 << 10,
                                  .storage = "card:write=512,size=4M",
                                  .ports = {.input = Place::kStreamed}}));
  EXPECT_TRUE(compiled.verdict.fits());
  const OnBoard run = run_twice(compiled, "cortex-m3", StorageDriver::kSdCard);
  EXPECT_EQ(run.measured.machine, "lm3s6965evb");
  EXPECT_LT(run.sram_bytes, 20 << 10);
  EXPECT_LT(run.measured.size.code_bytes + run.measured.size.weight_bytes, 100 << 10);
  EXPECT_GE(run.measured.size.static_ram_bytes, 36) << "of the driver";
}

// With kernels of the DSP extension, whose packed constants have other forms.
TEST(SpilledOnTheBoard, WeightsInRam) {
  for (const char* core : {"cortex-m4", "cortex-m55"}) {
    const Compiled compiled =
        std::get<Compiled>(compile({.model = "zoo:mobilenet_v1:width=0.25,resolution=64",
                                    .target = generic_target(core),
                                    .sram_bytes = 48 << 10,
                                    .flash_bytes = 100 << 10,
                                    .storage = "psram:size=4M"}));
    run_twice(compiled, core, StorageDriver::kRamDisk);
  }
}

// Bands in which a layer computes nothing yet: its constants, one record, are not read there.
TEST(SpilledOnTheBoard, WeightsOfBandsInRam) {
  const Compiled compiled =
      std::get<Compiled>(compile({.model = "zoo:mobilenet_v1:width=0.25,resolution=64",
                                  .target = generic_target("cortex-m4"),
                                  .sram_bytes = 8 << 10,
                                  .flash_bytes = 64 << 10,
                                  .storage = "psram:write=512,size=4M",
                                  .ports = {.input = Place::kStreamed}}));
  int left_out = 0;
  execute(
      compiled.program, [](const Call&, const Counters&) {},
      [&](const TransferCall& transfer, const Counters& counters) {
        const bool all_at_once = transfer.kind == TransferKind::kRead && !transfer.tags.valid() &&
                                 transfer.records.limits == Interval{0, 1};
        left_out += all_at_once && records_of(transfer, counters).size() == 0 ? 1 : 0;
      });
  EXPECT_GT(left_out, 0);
  run_twice(compiled, "cortex-m4", StorageDriver::kRamDisk);
}

// The paper's network whole: 153,600 bytes over the line.
TEST(SpilledOnTheBoard, TinyUnetOnAHost) {
  const Compiled compiled = spilling("zoo:tiny_unet:ports=int8", "cortex-m4", "host:size=1M");
  const OnBoard run = run_twice(compiled, "cortex-m4", StorageDriver::kSerialRemote);
  EXPECT_EQ(run.measured.machine, "mps2-an386");
  ASSERT_TRUE(run.measured.remote);
  EXPECT_EQ(run.measured.remote->written_bytes, 2 * 76'800);
  EXPECT_GE(run.measured.remote->read_bytes, 2 * 76'800);
  EXPECT_EQ(run.measured.remote->sessions, 2);
  EXPECT_LT(run.sram_bytes, 156'000) << "230,400 are live at once where nothing is spilled";
  RecordProperty("sram_bytes", std::to_string(run.sram_bytes));
}

std::string refusal(const std::string& core, const std::string& storage, StorageDriver driver) {
  const Compiled compiled = spilling("zoo:unet:resolution=16", core, storage);
  try {
    (void)run_emulated(compiled, core, {seeded_case(compiled.graph, 1)}, driver);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "runs";
}

TEST(SpilledOnTheBoard, IsRefusedWhereABoardHasNoSuchStorage) {
  EXPECT_THAT(refusal("cortex-m4", "spare:write=4,erase=1K", StorageDriver::kOwnFlash),
              HasSubstr("has no emulated board with this storage; there are cortex-m0, "));
  EXPECT_THAT(refusal("cortex-m33", "host:write=1", StorageDriver::kSerialRemote),
              HasSubstr("has no emulated board with this storage; there are cortex-m0, "));
  EXPECT_THAT(refusal("cortex-m3", "card:write=256", StorageDriver::kSdCard),
              HasSubstr("a card is written in blocks of 512 B: --storage card:write=512"));
  EXPECT_THAT(refusal("cortex-m0", "spare:write=4,erase=512", StorageDriver::kOwnFlash),
              HasSubstr("written in words of 4 B and erased in pages of 1024 B"));
}

}  // namespace
}  // namespace thimble
