// SPDX-License-Identifier: Apache-2.0
// Time on a device whose core computes while storages read, write and erase (docs/simulate.md).
// Each storage is a channel that does one request after the other:
//
//   core      |compute      |compute      |wait: read |compute
//   channel   |             |read ####################|
//                           begin                     wait ends
//
//   DeviceTime time({{.figures = {.read_bytes_per_second = 1000}}});
//   time.compute(0.05);
//   time.begin(0, 7, {ChannelWork::kRead, 80});   // until 0.13
//   time.compute(0.05);
//   time.wait(7);                                 // now() is 0.13, of which 0.03 were waited
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "thimble/target/storage_figures.h"

namespace thimble {

/// What a storage is asked for.
enum class ChannelWork : uint8_t { kRead, kWrite, kErase };
constexpr size_t kChannelWorks = 3;
[[nodiscard]] const char* name(ChannelWork work);  ///< "read", "write", "erase"

/// Why a core does not compute.
enum class WaitCause : uint8_t {
  kRead,   ///< for what the storage does, or because the core moves the bytes itself
  kWrite,  ///< likewise
  kErase,
  kQueue,  ///< for what was begun before on the same channel
  kStall,  ///< flash that the core executes from is written or erased
};
constexpr size_t kWaitCauses = 5;
[[nodiscard]] const char* name(WaitCause cause);  ///< "read", .., "queue", "stall"

/// A storage and its driver. What the figures do not know takes no time, and stalls nothing.
struct Channel {
  StorageFigures figures;
  bool polled = false;         ///< the core does reads and writes itself
  bool polled_erases = false;  ///< it waits for erases as it begins them
  /// Erases hold up one another, and nothing else: another bank or core does them.
  bool erases_beside = false;
};

struct ChannelRequest {
  ChannelWork work = ChannelWork::kRead;
  int64_t amount = 0;  ///< bytes, or blocks to erase
  bool operator==(const ChannelRequest&) const = default;
};

/// What happened in [begin, end) seconds.
struct TimeSpan {
  static constexpr int kCore = -1;
  enum class Kind : uint8_t { kCompute, kWait, kWork };
  Kind kind = Kind::kCompute;
  int lane = kCore;                       ///< or the number of a channel
  WaitCause cause = WaitCause::kRead;     ///< kWait
  ChannelWork work = ChannelWork::kRead;  ///< kWork
  int label = 0;                          ///< kCompute: what compute() was told
  double begin = 0, end = 0;
  bool operator==(const TimeSpan&) const = default;
};

/// Seconds of one channel.
struct ChannelSeconds {
  std::array<double, kChannelWorks> work = {};  ///< by ChannelWork, that it was busy with it
  double hidden = 0;                            ///< of these, while the core computed
  [[nodiscard]] double busy() const { return work[0] + work[1] + work[2]; }
};

class DeviceTime {
 public:
  /// keeps_spans: for a picture.
  explicit DeviceTime(std::vector<Channel> channels, bool keeps_spans = false);

  /// The core computes for so long, longer by what it stalls.
  void compute(double seconds, int label = 0);
  /// The request is made; the core goes on at once unless the channel is polled, or has as many in
  /// flight as it takes. A token is begun again only after it was waited for.
  void begin(int channel, int token, const ChannelRequest& request);
  /// Until what was begun last with the token has ended; of nothing: no time.
  void wait(int token);

  [[nodiscard]] double now() const { return now_; }  ///< seconds since the start
  [[nodiscard]] double computed() const { return computed_; }
  [[nodiscard]] const std::array<double, kWaitCauses>& waited() const { return waited_; }
  [[nodiscard]] const std::vector<ChannelSeconds>& channels() const { return seconds_; }
  [[nodiscard]] const std::vector<TimeSpan>& spans() const { return spans_; }

  /// Seconds that a channel takes for a request, alone.
  [[nodiscard]] static double seconds_of(const StorageFigures& figures,
                                         const ChannelRequest& request);

 private:
  struct InService {
    int channel = 0;
    ChannelWork work = ChannelWork::kRead;
    bool beside = false;  ///< holds up no reads and writes
    double begin = 0, end = 0;
  };

  void wait_until(double time, WaitCause cause);
  /// The core computes from now until then; nothing stalls it.
  void advance(double time, int label);
  void forget_ended();
  [[nodiscard]] bool stalls_core(const InService& service) const;
  [[nodiscard]] double room_in(int channel) const;

  std::vector<Channel> channels_;
  bool keeps_spans_;
  double now_ = 0, computed_ = 0;
  std::array<double, kWaitCauses> waited_ = {};
  std::vector<ChannelSeconds> seconds_;
  std::vector<double> free_at_, erased_at_;  ///< by channel
  std::vector<InService> in_service_;        ///< that end later than now, by when they begin
  std::map<int, InService> of_token_;
  std::vector<TimeSpan> spans_;
};

}  // namespace thimble
