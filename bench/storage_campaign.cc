// SPDX-License-Identifier: Apache-2.0
#include "bench/storage_campaign.h"

#include <algorithm>
#include <limits>

#include "thimble/model/error.h"
#include "thimble_runtime/transfers.h"

namespace thimble {
namespace {

constexpr uint64_t kInputs = 8;  // so that what is stale is another input's
constexpr int kForEver = std::numeric_limits<int>::max();

void draw_inputs(const SpilledNetwork& network, std::vector<Bytes>& inputs,
                 std::vector<Bytes>& expected) {
  for (uint64_t seed = 1; seed <= kInputs; ++seed) {
    inputs.push_back(network.input(seed));
    expected.push_back(network.expected(seed));
  }
}

FaultyStorage::Shape shape_of(const SpilledNetwork& network) {
  const ProgramMemory& memory = network.storage();
  const auto block = static_cast<uint32_t>(memory.storage->erase_bytes);
  const uint32_t unit = std::max(1U, block);
  // Room for what lands at another address.
  const auto size = 2 * (static_cast<uint32_t>(memory.size_bytes) + unit - 1) / unit * unit;
  return {.size = size,
          .granule = static_cast<uint32_t>(memory.storage->write_bytes),
          .block = block,
          .tokens = network.tokens()};
}

}  // namespace

StorageCampaign::StorageCampaign(SpilledNetwork& network)
    : network_(network), storage_(shape_of(network)) {
  draw_inputs(network, inputs_, expected_);
  storage_.set_used(static_cast<uint32_t>(network.storage().size_bytes));
  clean_calls_ = kForEver / 64;
  check(infer({}) == Outcome::kCorrect, "an inference without faults is wrong");
  clean_operations_ = storage_.operations;
  clean_calls_ = storage_.calls;
}

StorageCampaign::Outcome StorageCampaign::infer(const FaultPlan& plan) {
  const auto n = static_cast<size_t>(inferences_++) % inputs_.size();
  // Every operation is tried so often, and each try is begun and waited for.
  const int most_calls = 2 * (runtime::kRetries + 1) * clean_calls_ + 2;
  std::jmp_buf escape;
  storage_.begin_run(plan, most_calls, &escape);
  network_.set_input(inputs_[n]);
  volatile int status = 0;
  switch (setjmp(escape)) {
    case 0:
      status = network_.run(storage_.driver());
      break;
    case 1:
      return Outcome::kCutOff;
    default:
      return Outcome::kHang;
  }
  storage_.misuses += storage_.in_flight() > 0;
  if (!network_.guards_intact()) return Outcome::kWrong;
  if (status != 0) return status < 0 ? Outcome::kStatus : Outcome::kWrong;
  return network_.output() == expected_[n] ? Outcome::kCorrect : Outcome::kWrong;
}

FaultPlan StorageCampaign::drawn(StorageFault fault, int64_t number, zoo::Random& random) const {
  constexpr std::array kTimes = {1, 1, 2, runtime::kRetries, runtime::kRetries + 1, kForEver};
  FaultPlan plan{.kind = fault, .seed = random.next()};
  const auto operations = static_cast<int64_t>(clean_operations_.size());
  plan.first = static_cast<int>(random.between(0, operations - 1));
  plan.times = kTimes[static_cast<size_t>(random.between(0, std::ssize(kTimes) - 1))];
  switch (fault) {
    case StorageFault::kFlippedInStorage: {
      const auto read = std::ranges::find(clean_operations_, FaultyStorage::Kind::kRead);
      plan.first = static_cast<int>(read - clean_operations_.begin());
      plan.times = 1;
      plan.bit = number % network_.storage().size_bytes * 8 + random.between(0, 7);
      break;
    }
    case StorageFault::kFlippedEverywhere:
      plan.times = 1;
      break;
    case StorageFault::kPowerLost:
      plan.first = static_cast<int>(number % clean_calls_);
      break;
    case StorageFault::kMixed:
      plan.first = 0;
      plan.times = kForEver;
      plan.rate = 0.02 + 0.5 * random.unit();
      break;
    default:
      break;
  }
  return plan;
}

FaultTally StorageCampaign::run(StorageFault fault, int64_t runs, uint64_t seed) {
  FaultTally tally;
  zoo::Random random(seed);
  for (int64_t number = 0; tally.runs < runs; ++number) {
    check(number < 100 * runs, "faults do not strike");
    const Outcome outcome = infer(drawn(fault, number, random));
    tally.misuses += storage_.misuses;
    if (storage_.faults > 0) {
      ++tally.runs;
      tally.faults += storage_.faults;
      tally.correct += outcome == Outcome::kCorrect;
      tally.statuses += outcome == Outcome::kStatus;
      tally.cut_off += outcome == Outcome::kCutOff;
      tally.most_calls = std::max<int64_t>(tally.most_calls, storage_.calls);
    }
    tally.wrong += outcome == Outcome::kWrong;
    tally.hangs += outcome == Outcome::kHang;
    if (storage_.faults == 0) continue;
    tally.unhealed += infer({}) != Outcome::kCorrect;
    tally.misuses += storage_.misuses;
  }
  return tally;
}

RemoteCampaign::RemoteCampaign(SpilledNetwork& network) : network_(network) {
  draw_inputs(network, inputs_, expected_);
}

FaultTally RemoteCampaign::run(RemoteFault fault, int64_t runs, uint64_t seed) {
  // A read or write is given up after 2 s; the line's clock goes on when nothing comes.
  constexpr int kMostCalls = 4'000'000;
  FaultTally tally;
  zoo::Random random(seed);
  FaultyRemote remote(1U << 20, network_.tokens(), static_cast<uint32_t>(random.next()));
  const auto infer = [&](size_t n, RemoteFault now, int& status) {
    std::jmp_buf escape;
    remote.begin_run(now, static_cast<uint32_t>(random.next()), kMostCalls, &escape);
    network_.set_input(inputs_[n]);
    if (setjmp(escape) != 0) return false;
    status = network_.run(remote.driver());
    return true;
  };
  for (int64_t number = 0; tally.runs < runs; ++number) {
    check(number < 100 * runs, "faults do not strike");
    const auto n = static_cast<size_t>(number) % inputs_.size();
    int status = 0;
    const bool ends = infer(n, fault, status);
    tally.hangs += !ends;
    const bool right = network_.guards_intact() && status <= 0 &&
                       (status < 0 || network_.output() == expected_[n]);
    tally.wrong += ends && !right;
    if (remote.faults() == 0) continue;
    ++tally.runs;
    tally.faults += remote.faults();
    tally.correct += ends && right && status == 0;
    tally.statuses += ends && right && status < 0;
    tally.most_calls = std::max<int64_t>(tally.most_calls, remote.calls);
    const size_t other = (n + 3) % inputs_.size();
    const bool heals = infer(other, RemoteFault::kNone, status) && status == 0 &&
                       network_.output() == expected_[other];
    tally.unhealed += !heals;
  }
  return tally;
}

}  // namespace thimble
