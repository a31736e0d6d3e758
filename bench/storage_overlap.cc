// SPDX-License-Identifier: Apache-2.0
// Emitted code of networks that spill, with a file of the host that is as slow as a device: what of
// the transfers is hidden behind what is computed.
//   storage_overlap --csv bench/results/storage_overlap.csv
// "measured_ms" is the fastest of several inferences, "compute_ms" what it computed between calls
// of the driver, "transfers_ms" its transfers one after the other with nothing between, "larger_ms"
// and "sum_ms" what these come to if all or none of it overlaps. "predicted_ms" puts the
// operations, in the order of the calls and with what was computed between them, on a channel that
// does one at a time.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "bench/spilled_network.h"
#include "runtime/storage/host_file.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace {

using namespace thimble;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A call of the driver, behind `computed` seconds that were not the driver's.
struct DriverCall {
  enum class Kind : uint8_t { kRead, kWrite, kErase, kWait };
  Kind kind;
  uint32_t token, offset, size;
  double computed;
};

/// Hands on what it is asked for, and notes it.
class NotingStorage {
 public:
  explicit NotingStorage(const thimble_storage& inner)
      : inner_(inner), driver_{this, read,  write, inner.erase_async == nullptr ? nullptr : erase,
                               wait, cancel} {}
  NotingStorage(const NotingStorage&) = delete;
  NotingStorage& operator=(const NotingStorage&) = delete;

  [[nodiscard]] const thimble_storage* driver() const { return &driver_; }
  void start() {
    calls.clear();
    last_ = Clock::now();
  }
  /// Since the last call.
  [[nodiscard]] double rest() const { return seconds_since(last_); }

  std::vector<DriverCall> calls;

 private:
  using Kind = DriverCall::Kind;
  template <class Call>
  int noted(const DriverCall& call, const Call& hand_on) {
    calls.push_back(call);
    calls.back().computed = seconds_since(last_);
    const int status = hand_on(inner_);
    last_ = Clock::now();
    return status;
  }
  static NotingStorage& of(void* context) { return *static_cast<NotingStorage*>(context); }
  static int read(void* context, uint32_t token, uint32_t offset, void* into, uint32_t size) {
    return of(context).noted({Kind::kRead, token, offset, size, 0}, [&](const auto& inner) {
      return inner.read_async(inner.context, token, offset, into, size);
    });
  }
  static int write(void* context, uint32_t token, uint32_t offset, const void* from,
                   uint32_t size) {
    return of(context).noted({Kind::kWrite, token, offset, size, 0}, [&](const auto& inner) {
      return inner.write_async(inner.context, token, offset, from, size);
    });
  }
  static int erase(void* context, uint32_t token, uint32_t offset, uint32_t size) {
    return of(context).noted({Kind::kErase, token, offset, size, 0}, [&](const auto& inner) {
      return inner.erase_async(inner.context, token, offset, size);
    });
  }
  static int wait(void* context, uint32_t token) {
    return of(context).noted({Kind::kWait, token, 0, 0, 0},
                             [&](const auto& inner) { return inner.wait(inner.context, token); });
  }
  static void cancel(void* context) {
    const thimble_storage& inner = of(context).inner_;
    if (inner.cancel != nullptr) inner.cancel(inner.context);
  }

  thimble_storage inner_;
  thimble_storage driver_;
  Clock::time_point last_;
};

struct Trace {
  std::vector<DriverCall> calls;
  double rest = 0;                                           ///< computed behind the last one
  double seconds = std::numeric_limits<double>::infinity();  ///< from begin to end
  [[nodiscard]] double computed() const {
    double sum = rest;
    for (const DriverCall& call : calls) sum += call.computed;
    return sum;
  }
};

double device_seconds(const DriverCall& call, const thimble_host_file_device& device) {
  switch (call.kind) {
    case DriverCall::Kind::kRead:
      return device.access_seconds + call.size / device.read_bytes_per_second;
    case DriverCall::Kind::kWrite:
      return device.access_seconds + call.size / device.write_bytes_per_second;
    case DriverCall::Kind::kErase:
      return device.erase_seconds * (call.size / device.block);
    case DriverCall::Kind::kWait:
      return 0;
  }
  return 0;
}

double predicted_seconds(const Trace& trace, const thimble_host_file_device& device) {
  double now = 0, channel_free = 0;
  std::map<uint32_t, double> ends;
  for (const DriverCall& call : trace.calls) {
    now += call.computed;
    if (call.kind == DriverCall::Kind::kWait) {
      now = std::max(now, ends[call.token]);
    } else {
      channel_free = std::max(channel_free, now) + device_seconds(call, device);
      ends[call.token] = channel_free;
    }
  }
  return now + trace.rest;
}

double shortest(int64_t times, const std::function<double()>& measure) {
  double least = std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < times; ++k) least = std::min(least, measure());
  return least;
}

/// A file of the host, as slow as the device.
class SlowFile {
 public:
  SlowFile(const SpilledNetwork& network, const thimble_host_file_device& device)
      : file_(thimble_host_file_open((folder_.path() / "spilled").c_str(), size_of(network),
                                     network.tokens(), &device)) {
    check(file_ != nullptr, "a file cannot be made");
    driver_ = thimble_host_file_storage(file_);
  }
  ~SlowFile() { thimble_host_file_close(file_); }
  SlowFile(const SlowFile&) = delete;
  SlowFile& operator=(const SlowFile&) = delete;
  [[nodiscard]] const thimble_storage& driver() const { return driver_; }

 private:
  static uint32_t size_of(const SpilledNetwork& network) {
    const ProgramMemory& memory = network.storage();
    const int64_t block = std::max<int64_t>(1, memory.storage->erase_bytes);
    return static_cast<uint32_t>((memory.size_bytes + block - 1) / block * block);
  }
  TemporaryFolder folder_;
  thimble_host_file* file_;
  thimble_storage driver_;
};

// The operations, each waited for before the next one begins.
double transfers_seconds(const Trace& trace, const SlowFile& file) {
  std::vector<uint8_t> bytes;
  const thimble_storage& d = file.driver();
  const Clock::time_point begin = Clock::now();
  for (const DriverCall& call : trace.calls) {
    bytes.resize(std::max<size_t>(bytes.size(), call.size));
    int status = 0;
    switch (call.kind) {
      case DriverCall::Kind::kRead:
        status = d.read_async(d.context, call.token, call.offset, bytes.data(), call.size);
        break;
      case DriverCall::Kind::kWrite:
        status = d.write_async(d.context, call.token, call.offset, bytes.data(), call.size);
        break;
      case DriverCall::Kind::kErase:
        status = d.erase_async(d.context, call.token, call.offset, call.size);
        break;
      case DriverCall::Kind::kWait:
        continue;
    }
    check(status == 0 && d.wait(d.context, call.token) == 0, "the host's file fails");
  }
  return seconds_since(begin);
}

// The fastest of several inferences.
Trace traced(SpilledNetwork& network, const thimble_storage& driver, int64_t times) {
  const Bytes input = network.input(1), expected = network.expected(1);
  NotingStorage storage(driver);
  Trace best;
  for (int64_t k = 0; k < times; ++k) {
    network.set_input(input);
    storage.start();
    const Clock::time_point begin = Clock::now();
    check(network.run(storage.driver()) == 0, "an inference fails");
    const Trace trace{storage.calls, storage.rest(), seconds_since(begin)};
    check(network.output() == expected, "an inference is wrong");
    if (trace.seconds < best.seconds) best = trace;
  }
  return best;
}

// As fast as makes its transfers take `ratio` of what is computed: reads and writes alike.
thimble_host_file_device device_of(const Trace& trace, const ProgramMemory& memory, double ratio) {
  double bytes = 0;
  for (const DriverCall& call : trace.calls)
    bytes += call.kind == DriverCall::Kind::kErase ? 0 : call.size;
  thimble_host_file_device device{};
  device.granule = static_cast<uint32_t>(memory.storage->write_bytes);
  device.block = static_cast<uint32_t>(memory.storage->erase_bytes);
  device.read_bytes_per_second = device.write_bytes_per_second = bytes / (ratio * trace.computed());
  return device;
}

std::string rows(const std::string& model, const std::string& storage,
                 const std::vector<double>& ratios, int64_t times) {
  SpilledNetwork network(model, storage);
  const Trace at_once = traced(network, SlowFile(network, {}).driver(), times);
  std::string text;
  for (const double ratio : ratios) {
    const thimble_host_file_device device = device_of(at_once, network.storage(), ratio);
    const SlowFile file(network, device);
    const Trace trace = traced(network, file.driver(), times);
    const double computed = trace.computed();
    const double transfers = shortest(times, [&] { return transfers_seconds(trace, file); });
    const double predicted = predicted_seconds(trace, device);
    text += fmt::format("{},{},{},{:.3f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.3f}\n",
                        csv_field(model), csv_field(storage), ratio,
                        device.read_bytes_per_second / 1e6, 1e3 * computed, 1e3 * transfers,
                        1e3 * std::max(computed, transfers), 1e3 * (computed + transfers),
                        1e3 * predicted, 1e3 * trace.seconds, trace.seconds / predicted);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path, storage = "host:write=1,queue=4";
  std::vector<std::string> models = {"zoo:tiny_unet:ports=int8",
                                     "zoo:attention_unet:resolution=64,filters=16"};
  std::vector<double> ratios = {0.1, 0.5, 1, 2};
  int64_t times = 25;
  CommandLine line{"storage_overlap", "Transfers beside what is computed, on a file of the host"};
  line.add("--csv", &path, "File to write (standard output)");
  line.add("--model", &models, "Networks (zoo:tiny_unet:ports=int8, a small zoo:attention_unet)");
  line.add("--storage", &storage, "As of thimble compile (host:write=1,queue=4)");
  line.add("--ratio", &ratios, "Times of all transfers, in those of what is computed");
  line.add("--times", &times, "Each is measured (25)", {.positive = true});
  return line.run(argc, argv, [&] {
    std::string text = "# " + line.command() +
                       "\nmodel,storage,ratio,megabytes_per_second,compute_ms,transfers_ms,"
                       "larger_ms,sum_ms,predicted_ms,measured_ms,measured/predicted\n";
    for (const std::string& model : models) text += rows(model, storage, ratios, times);
    write_table(path, text);
    return 0;
  });
}
