// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/swapnn_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "thimble/model/error.h"
#include "thimble/target/size.h"

namespace thimble::swapnn {
namespace {

constexpr double kSecondsPerDay = 86'400, kDaysPerYear = 365;
constexpr int kMostFrames = 100, kMostElementwise = 10;

[[noreturn]] void reject(const std::string& message) { throw CompileError("SwapNN", message); }

int number(const std::string& pair, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    reject(fmt::format("{} is no number from {} to {}", pair, least, most));
  return value;
}

int64_t size(const std::string& pair, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError&) {
    reject(fmt::format("{} is no size such as 16K or 2GB", pair));
  }
}

void set(CountedRun& run, const std::string& pair) {
  const size_t equals = pair.find('=');
  const std::string key = pair.substr(0, equals);
  const std::string text = equals == std::string::npos ? "" : pair.substr(equals + 1);
  if (key == "sram") {
    run.sram_bytes = size(pair, text);
  } else if (key == "buffer") {
    run.buffer_bytes = size(pair, text);
  } else if (key == "frames") {
    run.frames = number(pair, text, 1, kMostFrames);
  } else if (key == "elementwise") {
    run.elementwise = number(pair, text, 0, kMostElementwise);
  } else if (key == "endurance") {
    run.endurance_bytes = size(pair, text);
  } else if (key == "day") {
    run.bytes_per_day = size(pair, text);
  } else {
    reject(
        fmt::format("there is no '{}'; there are sram=SIZE, buffer=SIZE, frames=NUMBER, "
                    "elementwise=NUMBER, endurance=SIZE, day=SIZE",
                    pair));
  }
}

/// Before anything is cut: that many tiles would take all memory.
void check_tasks(const Graph& graph, const CountedRun& run) {
  double least = 0;
  for (const Op& op : graph.ops) {
    const auto buffers = [&](TensorId t) {
      return std::max<int64_t>(1, graph.tensor(t).size_bytes() / run.buffer_bytes);
    };
    const bool weighted = op.inputs.size() > 1 && graph.tensor(op.inputs[1]).is_constant();
    least += static_cast<double>(buffers(op.outputs[0])) *
             (run.elementwise + (weighted ? static_cast<double>(buffers(op.inputs[1])) : 1));
  }
  if (least * run.frames <= static_cast<double>(kMostTasks)) return;
  reject(
      fmt::format("there are at least {:.0f} tasks, and {} are counted at most: larger "
                  "buffers, or fewer frames",
                  least * run.frames, kMostTasks));
}

}  // namespace

CountedRun counted_run(const std::string& text) {
  CountedRun run;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    set(run, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return run;
}

double Count::delay_percent() const { return 100 * (seconds / compute_seconds - 1); }

double Count::throughput_loss_percent() const {
  return 100 * (1 - frames * compute_seconds / frames_seconds);
}

double Count::written_bytes_per_day() const {
  return static_cast<double>(output_bytes) * kSecondsPerDay / seconds;
}

double Count::card_years() const {
  const double day =
      bytes_per_day > 0 ? static_cast<double>(bytes_per_day) : written_bytes_per_day();
  return static_cast<double>(endurance_bytes) / day / kDaysPerYear;
}

Count count(const Graph& graph, const CountedRun& run) {
  const Buffers buffers = buffers_of(run.sram_bytes, run.buffer_bytes);
  check_tasks(graph, run);
  const std::vector<Layer> layers = layers_of(graph, buffers, run.elementwise);
  const Queued one = queued(layers, buffers, run.rates, 1);
  const Queued all = run.frames == 1 ? one : queued(layers, buffers, run.rates, run.frames);
  int64_t outputs = 0;
  for (const Layer& layer : layers_of(graph, buffers, 0)) {
    for (const Tile& tile : layer.tiles) outputs += tile.written_bytes;
  }
  return {.io_tasks = one.io_tasks,
          .io_seconds = one.io_seconds,
          .seconds = one.seconds,
          .compute_seconds = one.compute_seconds,
          .frames_seconds = all.seconds,
          .frames = run.frames,
          .output_bytes = outputs,
          .endurance_bytes = run.endurance_bytes,
          .bytes_per_day = run.bytes_per_day};
}

}  // namespace thimble::swapnn
