// SPDX-License-Identifier: Apache-2.0
#include "thimble/simulate/device_events.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/program/estimate.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

class EventWalk {
 public:
  EventWalk(const Graph& graph, const Program& program, const CoreSpeed& speed, double stored_share)
      : graph_(graph),
        program_(program),
        speed_(speed),
        share_(stored_share),
        pending_(static_cast<size_t>(program.token_count)) {
    for (size_t m = 0; m < program.memories.size(); ++m) {
      if (program.memories[m].kind == MemoryKind::kBlockStorage && program.memories[m].storage)
        result_.storages[MemoryId{static_cast<int32_t>(m)}];
    }
    if (speed.model) coefficients_.emplace(*speed.model);
  }

  DeviceEvents run() {
    if (speed_.model) compute(DeviceEvent::kNoPosition, speed_.model->program);
    for_each_call_and_transfer(
        program_,
        [&](const Call& call, const CallShape& shape, const Counters& counters) {
          visit_call(call, shape, counters);
        },
        [&](const TransferCall& transfer, const Counters& counters) {
          visit_transfer(transfer, counters);
        });
    to_seconds();
    for (auto& [memory, work] : result_.storages)
      work.most_cycles = erases(memory) ? most_erases(memory) : most_writes(memory);
    return std::move(result_);
  }

 private:
  bool erases(MemoryId memory) const { return program_.memory(memory).storage->erase_bytes > 0; }

  // `work`: instructions, or MACs.
  void compute(Position position, double work) {
    if (work <= 0) return;
    std::vector<DeviceEvent>& events = result_.events;
    const bool goes_on = !events.empty() && events.back().kind == DeviceEvent::Kind::kCompute &&
                         events.back().position == position;
    if (goes_on) {
      events.back().seconds += work;
    } else {
      events.push_back({.position = position, .seconds = work});
    }
  }

  void to_seconds() {
    double scale = 0;
    if (speed_.seconds_per_mac) {
      scale = *speed_.seconds_per_mac;
    } else {
      double instructions = 0;
      for (const DeviceEvent& event : result_.events) instructions += event.seconds;
      if (instructions > 0)
        scale = (1 + speed_.wait_cycles / instructions) / static_cast<double>(speed_.clock_hz);
    }
    for (DeviceEvent& event : result_.events) event.seconds *= scale;
  }

  void visit_call(const Call& call, const CallShape& shape, const Counters& counters) {
    const Region region = kernel_region(call, counters);
    count_constants(call, region, counters);
    if (speed_.seconds_per_mac) {
      compute(call.position, share_of(call) * macs_of_call(call, region, counters));
      return;
    }
    const Features* coefficients = coefficients_->coefficients_of(call.kernel);
    if (coefficients == nullptr) {
      result_.left_out.insert(info(call.kernel).name);
      return;
    }
    compute(call.position, dot(features(shape), *coefficients));
  }

  // The part of the reduced axis that an accumulating call adds.
  double chunk_share(const Call& call, const Counters& counters) const {
    if (!call.chunk) return 1;
    const Op& op = graph_.op(call.op);
    const int64_t extent = graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)];
    return static_cast<double>(chunk_of(call, counters).size()) / static_cast<double>(extent);
  }

  // Of what a MAC of other convolutions takes.
  double share_of(const Call& call) const {
    if (!call.op.valid()) return 1;
    const Op& op = graph_.op(call.op);
    if (std::holds_alternative<FullyConnected>(op.attributes)) return speed_.fully_connected_share;
    if (std::holds_alternative<DepthwiseConv2D>(op.attributes)) return speed_.pointwise_share;
    const bool convolves = std::holds_alternative<Conv2D>(op.attributes);
    const bool pointwise = convolves && elements(graph_.tensor(op.inputs[1]).shape) ==
                                            graph_.tensor(op.inputs[1]).shape.front() *
                                                graph_.tensor(op.inputs[1]).shape.back();
    return pointwise ? speed_.pointwise_share : 1;
  }

  double macs_of_call(const Call& call, const Region& region, const Counters& counters) const {
    if (!call.op.valid() || call.method == Method::kFinalise) return 0;
    const Op& op = graph_.op(call.op);
    const auto all = static_cast<double>(elements(graph_.tensor(op.outputs[0]).shape));
    return static_cast<double>(macs(graph_, op)) * static_cast<double>(elements(region)) / all *
           chunk_share(call, counters);
  }

  void count_constants(const Call& call, const Region& region, const Counters& counters) {
    if (call.params < 0 || call.brought.valid() || empty(region)) return;
    int64_t bytes = 0;
    for (const BufferId id : program_.params[static_cast<size_t>(call.params)].constants) {
      if (const ProgramConstant* constant = program_.constant(id))
        bytes += static_cast<int64_t>(constant->content.data.size());
    }
    if (bytes == 0) return;
    const auto channels = static_cast<double>(std::max<int64_t>(
        call.axes.back().limits.size(), 1));  // of the call, whose constants are all of them
    result_.constant_bytes_read += static_cast<double>(bytes) *
                                   static_cast<double>(elements(region)) / channels *
                                   chunk_share(call, counters);
  }

  void visit_transfer(const TransferCall& transfer, const Counters& counters) {
    switch (transfer.kind) {
      case TransferKind::kRead:
      case TransferKind::kWrite:
        begin_records(transfer, records_of(transfer, counters));
        return;
      case TransferKind::kErase:
        begin_erase(transfer);
        return;
      case TransferKind::kWait:
        wait(transfer);
        return;
    }
    throw InternalError("unknown TransferKind");
  }

  void begin_records(const TransferCall& transfer, const Interval& records) {
    const bool writes = transfer.kind == TransferKind::kWrite;
    const ChannelWork work = writes ? ChannelWork::kWrite : ChannelWork::kRead;
    std::vector<ChannelRequest>& runs = pending_[transfer.token.index()];
    runs.clear();
    if (transfer.passage.valid()) {
      for (int64_t r = records.begin; r < records.end; ++r) add_chunks(transfer, work, runs);
    }
    for (int64_t first = records.begin; first < records.end && !transfer.passage.valid();) {
      const int64_t end = end_of_run(transfer, first, records.end);
      const int64_t each = writes ? transfer.stride_bytes : transfer.record_bytes;
      const double bytes = share_ * static_cast<double>((end - first) * each);
      runs.push_back({work, static_cast<int64_t>(std::ceil(bytes))});
      first = end;
    }
    if (writes && !records.empty()) note_written(transfer, records);
    if (!runs.empty()) begin_first(transfer);
  }

  // A record as it is goes in one piece; one that is shorter in chunks, of which a read's first is
  // smaller (runtime/storage/compressed_transfers.cc).
  void add_chunks(const TransferCall& transfer, ChannelWork work,
                  std::vector<ChannelRequest>& runs) const {
    const auto all =
        static_cast<int64_t>(std::ceil(share_ * static_cast<double>(transfer.record_bytes)));
    if (all >= transfer.record_bytes) {
      runs.push_back({work, transfer.record_bytes});
      return;
    }
    int64_t most = work == ChannelWork::kRead ? transfer.first_bytes : transfer.chunk_bytes;
    for (int64_t rest = all; rest > 0;) {
      runs.push_back({work, std::min(rest, most)});
      rest -= runs.back().amount;
      most = transfer.chunk_bytes;
    }
  }

  // As the runtime joins records (runtime/storage/transfers.cc, end_of_records).
  static int64_t end_of_run(const TransferCall& transfer, int64_t first, int64_t end) {
    if (transfer.stride_bytes != transfer.record_bytes) return first + 1;
    if (transfer.rows <= 0) return end;
    return std::min(end, (first / transfer.rows + 1) * transfer.rows);
  }

  void begin_erase(const TransferCall& erase) {
    const MemoryId memory = program_.memory_of(erase.stored);
    const int64_t block = program_.memory(memory).storage->erase_bytes;
    const Interval bytes = erased_bytes(program_, erase);
    std::vector<ChannelRequest>& runs = pending_[erase.token.index()];
    runs.clear();
    if (block == 0 || bytes.empty()) return;
    const double share = share_ * static_cast<double>(bytes.size()) / static_cast<double>(block);
    const auto blocks = static_cast<int64_t>(std::ceil(share));
    for (int64_t b = 0; b < blocks; ++b) ++erased_[memory][bytes.begin / block + b];
    result_.storages[memory].erased_bytes += blocks * block;
    runs.push_back({ChannelWork::kErase, blocks});
    begin_first(erase);
  }

  // The first of the token's runs begins.
  void begin_first(const TransferCall& transfer) {
    std::vector<ChannelRequest>& runs = pending_[transfer.token.index()];
    const ChannelRequest request = runs.front();
    runs.erase(runs.begin());
    const MemoryId memory = program_.memory_of(transfer.stored);
    StorageWork& work = result_.storages[memory];
    ++work.requests[static_cast<size_t>(request.work)];
    work.amounts[static_cast<size_t>(request.work)] += request.amount;
    result_.events.push_back({.kind = DeviceEvent::Kind::kBegin,
                              .position = transfer.position,
                              .memory = memory,
                              .token = transfer.token,
                              .request = request});
  }

  void wait(const TransferCall& transfer) {
    const auto wait_once = [&] {
      result_.events.push_back({.kind = DeviceEvent::Kind::kWait,
                                .position = transfer.position,
                                .memory = program_.memory_of(transfer.stored),
                                .token = transfer.token});
    };
    wait_once();
    while (!pending_[transfer.token.index()].empty()) {
      begin_first(transfer);
      wait_once();
    }
  }

  void note_written(const TransferCall& transfer, const Interval& records) {
    const int64_t address = program_.address(transfer.stored);
    std::map<int64_t, int64_t>& changes = written_[program_.memory_of(transfer.stored)];
    ++changes[address + records.begin * transfer.stride_bytes];
    --changes[address + records.end * transfer.stride_bytes];
  }

  int64_t most_erases(MemoryId memory) const {
    int64_t most = 0;
    const auto found = erased_.find(memory);
    if (found == erased_.end()) return 0;
    for (const auto& [block, count] : found->second) most = std::max(most, count);
    return most;
  }

  int64_t most_writes(MemoryId memory) const {
    int64_t most = 0, now = 0;
    const auto found = written_.find(memory);
    if (found == written_.end()) return 0;
    for (const auto& [address, change] : found->second) most = std::max(most, now += change);
    return most;
  }

  const Graph& graph_;
  const Program& program_;
  const CoreSpeed& speed_;
  double share_;
  std::optional<KernelCoefficients> coefficients_;
  DeviceEvents result_;
  std::vector<std::vector<ChannelRequest>> pending_;        ///< by token, runs that have not begun
  std::map<MemoryId, std::map<int64_t, int64_t>> erased_;   ///< by block
  std::map<MemoryId, std::map<int64_t, int64_t>> written_;  ///< changes of how often, by address
};

}  // namespace

DeviceEvents device_events(const Graph& graph, const Program& program, const CoreSpeed& speed,
                           double stored_share) {
  check(speed.seconds_per_mac || (speed.model && speed.clock_hz > 0), "a core without a speed");
  return EventWalk(graph, program, speed, stored_share).run();
}

}  // namespace thimble
