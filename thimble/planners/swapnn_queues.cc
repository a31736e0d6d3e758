// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/swapnn_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <queue>

#include "thimble/model/division.h"
#include "thimble/model/error.h"

namespace thimble::swapnn {
namespace {

[[noreturn]] void too_many_tasks() {
  throw CompileError("swapnn", fmt::format("there are more than {} tasks: larger buffers, or fewer "
                                           "frames",
                                           kMostTasks));
}

enum class Pool : uint8_t { kInputs, kWeights, kOutputs, kNone };
constexpr size_t kPools = 3;

/// Buffers by pool.
using Held = std::array<int64_t, kPools>;

struct Task {
  bool computes = false;
  double seconds = 0;
  Pool pool = Pool::kNone;
  int64_t takes = 0;  ///< of the pool, when it begins
  Held frees = {};    ///< when it has finished
  int waits_for = 0;
  std::vector<int> then;
};

/// All tasks, in the order of frame, layer and tile.
class Tasks {
 public:
  Tasks(const std::vector<Layer>& layers, const Buffers& buffers, const Rates& rates, int frames)
      : buffers_(buffers), rates_(rates) {
    for (int frame = 0; frame < frames; ++frame) {
      written_.clear();
      for (const Layer& layer : layers) add(layer);
    }
  }

  std::vector<Task> list;

 private:
  /// Bytes of a tensor, and the task that writes them.
  struct Written {
    Interval bytes;
    int task;
  };

  int add_task(Task task) {
    if (std::ssize(list) == kMostTasks) too_many_tasks();
    list.push_back(std::move(task));
    return static_cast<int>(list.size()) - 1;
  }
  void order(int before, int behind) {
    list[static_cast<size_t>(before)].then.push_back(behind);
    ++list[static_cast<size_t>(behind)].waits_for;
  }

  [[nodiscard]] int add_io(int64_t bytes, Pool pool, const Held& frees = {}, int64_t takes = 1) {
    return add_task(
        {.seconds = static_cast<double>(bytes) / rates_.bytes_per_second + rates_.access_seconds,
         .pool = pool,
         .takes = pool == Pool::kNone ? 0 : takes,
         .frees = frees});
  }

  /// How many buffers these bytes take.
  [[nodiscard]] int64_t pieces(int64_t bytes, int64_t pool, const char* what) const {
    const int64_t count = std::max<int64_t>(1, ceil_div(bytes, buffers_.bytes));
    if (count > pool) {
      throw CompileError("swapnn",
                         fmt::format("a tile of {} {} B cannot be cut, and {} buffer{} of {} B "
                                     "are for it",
                                     what, bytes, pool, pool == 1 ? "" : "s", buffers_.bytes));
    }
    return count;
  }

  /// Calls visit(bytes of it) for each piece of at most a buffer.
  template <class Visit>
  void each_piece(int64_t bytes, const Visit& visit) const {
    int64_t rest = bytes;
    do {
      visit(std::min(rest, buffers_.bytes));
      rest -= buffers_.bytes;
    } while (rest > 0);
  }

  [[nodiscard]] double macs_per_second(const Layer& layer) const {
    switch (layer.speed) {
      case Speed::kConvolution:
        return rates_.convolution;
      case Speed::kPointwise:
        return rates_.pointwise;
      case Speed::kFullyConnected:
        return rates_.fully_connected;
    }
    throw InternalError("unknown Speed");
  }

  /// The first one takes all buffers: tiles that each have some would wait for each other.
  [[nodiscard]] std::vector<int> add_reads(const Tile& tile, int64_t buffers) {
    std::vector<int> reads;
    each_piece(tile.read_bytes, [&](int64_t bytes) {
      const bool first = reads.empty();
      reads.push_back(first ? add_io(bytes, Pool::kInputs, {}, buffers)
                            : add_io(bytes, Pool::kNone));
      if (!first) order(reads[0], reads.back());
    });
    for (const TileBytes& part : tile.reads) {
      for (const Written& before : written_[part.tensor]) {
        if (before.bytes.begin >= part.bytes.end || part.bytes.begin >= before.bytes.end) continue;
        for (const int read : reads) order(before.task, read);
      }
    }
    return reads;
  }

  void add(const Layer& layer) {
    std::vector<Written> written;
    TensorId makes;
    for (const Tile& tile : layer.tiles) {
      const int64_t inputs = pieces(tile.read_bytes, buffers_.inputs, "input");
      const int64_t outputs = pieces(tile.written_bytes, buffers_.outputs, "output");
      const std::vector<int> reads = add_reads(tile, inputs);
      const int last = add_computations(layer, tile, reads, inputs, outputs);
      each_piece(tile.written_bytes, [&](int64_t bytes) {
        const int write = add_io(bytes, Pool::kNone, {0, 0, 1});
        order(last, write);
        written.push_back({tile.makes.bytes, write});
      });
      makes = tile.makes.tensor;
    }
    written_[makes] = std::move(written);
  }

  /// The last of them: one for each piece of the weights.
  [[nodiscard]] int add_computations(const Layer& layer, const Tile& tile,
                                     const std::vector<int>& reads, int64_t inputs,
                                     int64_t outputs) {
    int last = -1;
    const auto compute = [&](double seconds) {
      const int task = add_task({.computes = true,
                                 .seconds = seconds,
                                 .pool = last < 0 ? Pool::kOutputs : Pool::kNone,
                                 .takes = last < 0 ? outputs : 0});
      if (last >= 0) order(last, task);
      return last = task;
    };
    if (layer.weight_bytes == 0) {
      const int task = compute(static_cast<double>(tile.macs) / macs_per_second(layer));
      for (const int read : reads) order(read, task);
    } else {
      const double seconds = static_cast<double>(tile.macs) / macs_per_second(layer);
      each_piece(layer.weight_bytes, [&](int64_t bytes) {
        const int weights = add_io(bytes, Pool::kWeights);
        for (const int read : reads) order(read, weights);
        const int task =
            compute(seconds * static_cast<double>(bytes) / static_cast<double>(layer.weight_bytes));
        order(weights, task);
        list[static_cast<size_t>(task)].frees[static_cast<size_t>(Pool::kWeights)] = 1;
      });
    }
    list[static_cast<size_t>(last)].frees[static_cast<size_t>(Pool::kInputs)] = inputs;
    return last;
  }

  const Buffers& buffers_;
  const Rates& rates_;
  std::map<TensorId, std::vector<Written>> written_;
};

/// Ready tasks of one server, by the pool that they take from: the first of them all for which
/// there are buffers.
class Ready {
 public:
  void add(int task, Pool pool) { queues_[static_cast<size_t>(pool)].push(task); }

  /// -1: none can begin.
  [[nodiscard]] int take(const std::vector<Task>& tasks, Held& free) {
    Queue* best = nullptr;
    for (size_t pool = 0; pool < queues_.size(); ++pool) {
      Queue& queue = queues_[pool];
      if (queue.empty()) continue;
      const int64_t takes = tasks[static_cast<size_t>(queue.top())].takes;
      if (pool < kPools && free[pool] < takes) continue;
      if (best == nullptr || queue.top() < best->top()) best = &queue;
    }
    if (best == nullptr) return -1;
    const int task = best->top();
    best->pop();
    const Task& begun = tasks[static_cast<size_t>(task)];
    if (begun.takes > 0) free[static_cast<size_t>(begun.pool)] -= begun.takes;
    return task;
  }

 private:
  using Queue = std::priority_queue<int, std::vector<int>, std::greater<>>;
  std::array<Queue, kPools + 1> queues_;
};

/// What the card or the core does.
struct Server {
  Ready ready;
  int busy_with = -1;
  double until = 0;
};

}  // namespace

Queued queued(const std::vector<Layer>& layers, const Buffers& buffers, const Rates& rates,
              int frames) {
  std::vector<Task> tasks = Tasks(layers, buffers, rates, frames).list;
  Queued result;
  std::array<Server, 2> servers;  // by Task::computes
  const auto make_ready = [&](int task) {
    const Task& one = tasks[static_cast<size_t>(task)];
    servers[one.computes ? 1 : 0].ready.add(task, one.pool);
  };
  for (size_t k = 0; k < tasks.size(); ++k) {
    const Task& task = tasks[k];
    ++(task.computes ? result.compute_tasks : result.io_tasks);
    (task.computes ? result.compute_seconds : result.io_seconds) += task.seconds;
    if (task.waits_for == 0) make_ready(static_cast<int>(k));
  }
  Held free = {buffers.inputs, buffers.weights, buffers.outputs};
  for (size_t finished = 0; finished < tasks.size(); ++finished) {
    for (Server& server : servers) {
      if (server.busy_with >= 0) continue;
      server.busy_with = server.ready.take(tasks, free);
      if (server.busy_with >= 0)
        server.until = result.seconds + tasks[static_cast<size_t>(server.busy_with)].seconds;
    }
    Server* next = nullptr;
    for (Server& server : servers) {
      if (server.busy_with >= 0 && (next == nullptr || server.until < next->until)) next = &server;
    }
    if (next == nullptr) {
      throw CompileError("swapnn",
                         "tiles of several buffers wait for each other's: more or larger buffers");
    }
    result.seconds = next->until;
    const Task& done = tasks[static_cast<size_t>(next->busy_with)];
    next->busy_with = -1;
    for (size_t pool = 0; pool < kPools; ++pool) free[pool] += done.frees[pool];
    for (const int task : done.then) {
      if (--tasks[static_cast<size_t>(task)].waits_for == 0) make_ready(task);
    }
  }
  return result;
}

}  // namespace thimble::swapnn
