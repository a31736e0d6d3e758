// SPDX-License-Identifier: Apache-2.0
// Inferences of emitted code with faults of its storage, counted by what became of them. Behind
// each comes one without a fault, on what the first has left in the storage.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/faulty_remote.h"
#include "bench/faulty_storage.h"
#include "bench/spilled_network.h"

namespace thimble {

/// How inferences ended that a fault struck.
struct FaultTally {
  int64_t runs = 0;
  int64_t faults = 0;      ///< of operations, or of frames
  int64_t correct = 0;     ///< the output of the reference, and status 0
  int64_t statuses = 0;    ///< a status below 0
  int64_t cut_off = 0;     ///< without power: no answer
  int64_t wrong = 0;       ///< status 0 and another output, or bytes written that are not its own
  int64_t hangs = 0;       ///< more calls than it may take
  int64_t unhealed = 0;    ///< the inference behind it was not correct
  int64_t misuses = 0;     ///< calls that the interface does not allow
  int64_t most_calls = 0;  ///< of a run
  [[nodiscard]] bool sound() const { return wrong + hangs + unhealed + misuses == 0; }
};

class StorageCampaign {
 public:
  explicit StorageCampaign(SpilledNetwork& network);
  /// Until `runs` inferences were struck. kFlippedInStorage and kPowerLost go through all bytes
  /// that the network stores, and all calls of its driver, in turn.
  [[nodiscard]] FaultTally run(StorageFault fault, int64_t runs, uint64_t seed);
  /// Driver's calls of an inference without faults.
  [[nodiscard]] int calls() const { return clean_calls_; }

 private:
  enum class Outcome : uint8_t { kCorrect, kStatus, kCutOff, kWrong, kHang };
  [[nodiscard]] Outcome infer(const FaultPlan& plan);
  [[nodiscard]] FaultPlan drawn(StorageFault fault, int64_t number, zoo::Random& random) const;

  SpilledNetwork& network_;
  FaultyStorage storage_;
  std::vector<FaultyStorage::Kind> clean_operations_;
  int clean_calls_ = 0;
  int64_t inferences_ = 0;
  std::vector<Bytes> inputs_, expected_;
};

class RemoteCampaign {
 public:
  explicit RemoteCampaign(SpilledNetwork& network);
  [[nodiscard]] FaultTally run(RemoteFault fault, int64_t runs, uint64_t seed);

 private:
  SpilledNetwork& network_;
  std::vector<Bytes> inputs_, expected_;
};

}  // namespace thimble
