// SPDX-License-Identifier: Apache-2.0
// What a program tells a device's time: one request for records that lie side by side, as the
// runtime's transfers ask the driver.
#include "thimble/simulate/device_events.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/placement.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;

const CoreSpeed kOneSecond{.seconds_per_mac = 1};

struct Lowered {
  testing::HandWritten hand = testing::spilled_residual();
  Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));

  /// Those of the records' transfers, which `change` changes.
  template <class Change>
  Lowered& with(const Change& change) {
    for_each(program.nodes, change);
    return *this;
  }
  template <class Change>
  static void for_each(std::vector<ProgramNode>& nodes, const Change& change) {
    for (ProgramNode& node : nodes) {
      if (auto* transfer = std::get_if<TransferCall>(&node.what)) change(*transfer);
      if (auto* loop = std::get_if<ProgramLoop>(&node.what)) for_each(loop->body, change);
    }
  }
  [[nodiscard]] DeviceEvents events(double share = 1) const {
    return device_events(hand.graph, program, kOneSecond, share);
  }
};

std::vector<std::string> words(const DeviceEvents& events) {
  std::vector<std::string> result;
  for (const DeviceEvent& event : events.events) {
    switch (event.kind) {
      case DeviceEvent::Kind::kCompute:
        result.push_back(fmt::format("compute {}", event.seconds));
        break;
      case DeviceEvent::Kind::kBegin:
        result.push_back(fmt::format("{} {} ({})", name(event.request.work), event.request.amount,
                                     event.token.value));
        break;
      case DeviceEvent::Kind::kWait:
        result.push_back(fmt::format("wait ({})", event.token.value));
        break;
    }
  }
  return result;
}

TEST(DeviceEvents, AreThoseOfTheProgramInOrder) {
  const std::vector<std::string> all = words(Lowered().events());
  ASSERT_EQ(all.size(), 8U + 8 + 7 + 1) << "the last iteration fetches no row";
  EXPECT_THAT((std::vector<std::string>(all.begin(), all.begin() + 12)),
              ElementsAre("erase 1 (0)", "compute 36864", "wait (0)", "write 1024 (0)",
                          "compute 9216", "wait (0)", "compute 16384", "read 128 (0)", "wait (0)",
                          "read 128 (0)", "wait (0)", "read 128 (0)"));
  EXPECT_EQ(all.back(), "wait (0)");
}

TEST(DeviceEvents, MacsAreTheNetworks) {
  const Lowered lowered;
  double sum = 0;
  for (const DeviceEvent& event : lowered.events().events) sum += event.seconds;
  EXPECT_EQ(sum, static_cast<double>(macs(lowered.hand.graph)));
}

// Padded to granules, records do not touch: the first begins, the others follow in the wait.
TEST(DeviceEvents, RecordsThatDoNotTouchAreRequestsOfTheirOwn) {
  Lowered lowered;
  lowered.with([](TransferCall& transfer) { transfer.stride_bytes = 160; });
  const DeviceEvents events = lowered.events();
  const StorageWork& work = events.storages.at(testing::kStorage);
  EXPECT_THAT(work.requests, ElementsAre(8, 8, 1));
  EXPECT_THAT(work.amounts, ElementsAre(1'024, 1'280, 1)) << "granules are written whole";
  const std::vector<std::string> all = words(events);
  EXPECT_THAT(
      (std::vector<std::string>(all.begin() + 3, all.begin() + 8)),
      ElementsAre("write 160 (0)", "compute 9216", "wait (0)", "write 160 (0)", "wait (0)"));
}

TEST(DeviceEvents, ARingThatWrapsIsTwoRequests) {
  Lowered lowered;
  lowered.with([](TransferCall& transfer) {
    if (transfer.kind == TransferKind::kWrite) transfer.rows = 5;
  });
  const StorageWork work = lowered.events().storages.at(testing::kStorage);
  EXPECT_EQ(work.requests[1], 2) << "rows 0 to 4, then 5 to 7";
  EXPECT_EQ(work.amounts[1], 1'024);
}

TEST(DeviceEvents, StorageThatIsNotErasedWearsByWrites) {
  Lowered lowered;
  lowered.program.memories[testing::kStorage.index()].storage->erase_bytes = 0;
  std::vector<ProgramNode>& nodes = lowered.program.nodes;
  nodes.erase(nodes.begin() + 2);
  nodes.erase(nodes.begin());
  EXPECT_EQ(lowered.events().storages.at(testing::kStorage).most_cycles, 1);
  const ProgramNode store = nodes[1], ended = nodes[3];
  nodes.insert(nodes.begin() + 4, {store, ended});  // once more
  EXPECT_EQ(lowered.events().storages.at(testing::kStorage).most_cycles, 2);
}

TEST(DeviceEvents, ConstantsAreReadOncePerPixel) {
  const Lowered lowered;
  double bytes = 0;  // of all 64 pixels; calls share constants that are equal
  for (const ProgramParams& params : lowered.program.params) {
    for (const BufferId id : params.constants)
      bytes += 64.0 * static_cast<double>(lowered.program.buffer(id).size_bytes);
  }
  EXPECT_GT(bytes, 0);
  EXPECT_DOUBLE_EQ(lowered.events().constant_bytes_read, bytes);
}

}  // namespace
}  // namespace thimble
