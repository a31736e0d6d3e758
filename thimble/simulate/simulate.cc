// SPDX-License-Identifier: Apache-2.0
#include "thimble/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr double kDaysPerYear = 365.25, kNano = 1e-9;

int64_t amount(const StorageWork& work, ChannelWork kind) {
  return work.amounts[static_cast<size_t>(kind)];
}

int64_t requests(const StorageWork& work, ChannelWork kind) {
  return work.requests[static_cast<size_t>(kind)];
}

// What of a storage takes time, or would stop the core, and is not known.
std::vector<std::string> unknown_figures(const SimulatedStorage& storage) {
  std::vector<std::string> result;
  const StorageFigures& figures = storage.figures;
  const auto note = [&](bool matters, bool known, const char* what) {
    if (matters && !known) result.push_back(fmt::format("{} of {}", what, storage.name));
  };
  const bool reads = requests(storage.work, ChannelWork::kRead) > 0;
  const bool writes = requests(storage.work, ChannelWork::kWrite) > 0;
  const bool erases = requests(storage.work, ChannelWork::kErase) > 0;
  note(reads, figures.read_bytes_per_second.has_value(), "read bandwidth");
  note(writes, figures.write_bytes_per_second.has_value(), "write bandwidth");
  note(reads || writes, figures.access_seconds.has_value(), "access latency");
  note(erases, figures.erase_seconds.has_value(), "block erase time");
  note(writes || erases, figures.stalls_core.has_value(),
       "whether the core stops during writes and erases");
  return result;
}

/// Plays the events of an inference, several times.
class Replay {
 public:
  Replay(const DeviceEvents& events, std::map<MemoryId, int> channel_of,
         const SimulatedDriver& driver, DeviceTime time)
      : events_(events),
        channel_of_(std::move(channel_of)),
        driver_(driver),
        time_(std::move(time)) {}

  void run_inference() {
    std::vector<int> erases;  // begun in this inference
    std::map<TokenId, int> waits_for;
    for (const DeviceEvent& event : events_.events) {
      switch (event.kind) {
        case DeviceEvent::Kind::kCompute:
          time_.compute(event.seconds, event.position);
          break;
        case DeviceEvent::Kind::kBegin: {
          const bool ahead = driver_.erases_ahead && event.request.work == ChannelWork::kErase;
          const int token = ahead ? next_token_++ : event.token.value;
          waits_for[event.token] = ahead ? erased_before(erases.size()) : token;
          if (ahead) erases.push_back(token);
          time_.begin(channel_of_.at(event.memory), token, event.request);
          break;
        }
        case DeviceEvent::Kind::kWait:
          if (const auto found = waits_for.find(event.token); found != waits_for.end()) {
            time_.wait(found->second);
            waits_for.erase(found);
          }
          break;
      }
    }
    erases_before_ = std::move(erases);
  }

  [[nodiscard]] const DeviceTime& time() const { return time_; }

 private:
  static constexpr int kFirstErase = 1 << 30;  // beyond the tokens of programs
  // The erase of the last inference that cleared what erase `number` of this one is for.
  int erased_before(size_t number) const {
    return number < erases_before_.size() ? erases_before_[number] : -1;
  }

  const DeviceEvents& events_;
  std::map<MemoryId, int> channel_of_;
  SimulatedDriver driver_;
  DeviceTime time_;
  int next_token_ = kFirstErase;
  std::vector<int> erases_before_;
};

/// What a time has come to.
struct Reading {
  double now = 0, computed = 0;
  std::array<double, kWaitCauses> waited = {};
  std::vector<ChannelSeconds> channels;

  explicit Reading(const DeviceTime& time)
      : now(time.now()),
        computed(time.computed()),
        waited(time.waited()),
        channels(time.channels()) {}
};

void set_seconds(Simulation& result, const Reading& before, const Reading& after) {
  result.seconds = after.now - before.now;
  result.computed_seconds = after.computed - before.computed;
  for (size_t k = 0; k < kWaitCauses; ++k)
    result.waited_seconds[k] = after.waited[k] - before.waited[k];
  for (size_t c = 0; c < result.storages.size(); ++c) {
    ChannelSeconds& seconds = result.storages[c].seconds;
    for (size_t k = 0; k < kChannelWorks; ++k)
      seconds.work[k] = after.channels[c].work[k] - before.channels[c].work[k];
    seconds.hidden = after.channels[c].hidden - before.channels[c].hidden;
  }
}

}  // namespace

std::optional<double> SimulatedStorage::joules() const {
  double nanojoules = 0;
  bool known = true;
  const auto add = [&](std::optional<double> each, ChannelWork kind) {
    known = known && (each || amount(work, kind) == 0);
    nanojoules += each.value_or(0) * static_cast<double>(amount(work, kind));
  };
  add(figures.read_nanojoules_per_byte, ChannelWork::kRead);
  add(figures.write_nanojoules_per_byte, ChannelWork::kWrite);
  add(figures.erase_nanojoules_per_block, ChannelWork::kErase);
  return known ? std::optional(nanojoules * kNano) : std::nullopt;
}

std::optional<double> SimulatedStorage::years(double inferences_per_day) const {
  if (!figures.endurance_cycles || cycles <= 0 || inferences_per_day <= 0) return std::nullopt;
  return static_cast<double>(*figures.endurance_cycles) /
         (cycles * inferences_per_day * kDaysPerYear);
}

double Simulation::waited() const {
  return std::accumulate(waited_seconds.begin(), waited_seconds.end(), 0.0);
}

std::optional<double> Simulation::hidden_share() const {
  double busy = 0, hidden = 0;
  for (const SimulatedStorage& storage : storages) {
    busy += storage.seconds.busy();
    hidden += storage.seconds.hidden;
  }
  return busy > 0 ? std::optional(hidden / busy) : std::nullopt;
}

Simulation simulate(const Graph& graph, const Program& program, const SimulatedDevice& device,
                    const SimulationOptions& options) {
  check(options.inferences >= 1, "no inference to simulate");
  const SimulatedDriver& driver = device.driver;
  const DeviceEvents events = device_events(graph, program, device.core, driver.stored_share);
  Simulation result{.inferences = options.inferences,
                    .constant_bytes_read = events.constant_bytes_read};
  std::vector<Channel> channels;
  std::map<MemoryId, int> channel_of;
  for (const auto& [memory, work] : events.storages) {
    const std::string& name = program.memory(memory).name;
    const auto found = device.storages.find(name);
    const StorageFigures figures =
        found == device.storages.end() ? StorageFigures{} : found->second;
    channel_of[memory] = static_cast<int>(channels.size());
    channels.push_back({.figures = figures,
                        .polled = driver.polled,
                        .polled_erases = driver.polled && !driver.erases_ahead,
                        .erases_beside = driver.erases_beside});
    const double areas = driver.erases_ahead && work.erased_bytes > 0 ? 2 : 1;
    result.storages.push_back({.name = name,
                               .figures = figures,
                               .work = work,
                               .seconds = {},
                               .cycles = static_cast<double>(work.most_cycles) / areas});
    for (std::string& unknown : unknown_figures(result.storages.back()))
      result.left_out.push_back(std::move(unknown));
  }
  for (const std::string& kernel : events.left_out)
    result.left_out.push_back(fmt::format("the kernel {}", kernel));
  Replay replay(events, std::move(channel_of), driver,
                DeviceTime(std::move(channels), options.keeps_spans));
  for (int k = 0; k < options.inferences; ++k) {
    const Reading before(replay.time());
    replay.run_inference();
    set_seconds(result, before, Reading(replay.time()));
    if (k == 0) result.first_seconds = result.seconds;
  }
  result.spans = replay.time().spans();
  return result;
}

}  // namespace thimble
