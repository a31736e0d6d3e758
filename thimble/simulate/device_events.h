// SPDX-License-Identifier: Apache-2.0
// An inference as what a device's time is told of it: what the core computes, and what storages are
// asked for in between (target/device_time.h).
//
//   loop i0 < 3                          compute 1.2 ms   (step 0)
//     x = conv ..        step 0    ->    begin write 80 B (token 0)
//     store x -> s       step 1          compute 1.2 ms
//     wait               step 2          wait token 0, ..
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/program/program.h"
#include "thimble/target/device_time.h"
#include "thimble/target/latency.h"

namespace thimble {

/// What a step takes on the core: by one of the two.
struct CoreSpeed {
  std::optional<LatencyModel> model;
  std::optional<double> seconds_per_mac;  ///< of what has no MACs: nothing
  /// Of these, what a MAC of a 1x1 or depthwise convolution takes, and one of a fully connected
  /// layer.
  double pointwise_share = 1, fully_connected_share = 1;
  int64_t clock_hz = 0;    ///< for the model
  double wait_cycles = 0;  ///< of an inference for slow memories, shared out by instructions
};

struct DeviceEvent {
  enum class Kind : uint8_t { kCompute, kBegin, kWait };
  Kind kind = Kind::kCompute;
  Position position = kNoPosition;  ///< of the step
  double seconds = 0;               ///< kCompute
  MemoryId memory;                  ///< of a transfer
  TokenId token;
  ChannelRequest request;  ///< kBegin
  bool operator==(const DeviceEvent&) const = default;

  static constexpr Position kNoPosition = -1;  ///< what an inference takes beside its calls
};

/// What an inference asks of one storage.
struct StorageWork {
  std::array<int64_t, kChannelWorks> requests = {}, amounts = {};  ///< by ChannelWork; B, blocks
  int64_t erased_bytes = 0;
  /// Erases of the block that is erased most; where nothing is erased, writes of the byte that is
  /// written most.
  int64_t most_cycles = 0;
};

struct DeviceEvents {
  std::vector<DeviceEvent> events;
  std::map<MemoryId, StorageWork> storages;  ///< that it has
  std::set<std::string> left_out;            ///< kernels without coefficients, which take no time
  /// Constants that calls read, if each reads those of a pixel's channels once per pixel.
  double constant_bytes_read = 0;
};

/// stored_share: of the bytes of a record, those that go to storage and come from it; blocks that
/// are erased shrink likewise. One driver operation each for records that lie side by side in both
/// memories, as the runtime does it, and for each chunk of a compressed one; those behind the
/// first begin when that is waited for.
[[nodiscard]] DeviceEvents device_events(const Graph& graph, const Program& program,
                                         const CoreSpeed& speed, double stored_share);

}  // namespace thimble
