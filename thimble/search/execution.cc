// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of live tensors, operator by operator.
#include "thimble/search/execution.h"

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {

OrderLinks::OrderLinks(const OrderProblem& problem) {
  const size_t count = problem.size_bytes.size();
  const auto in_range = [&](int tensor) { return tensor >= 0 && index(tensor) < count; };
  producer.assign(count, -1);
  readers.resize(count);
  is_input.assign(count, false);
  is_output.assign(count, false);
  for (const int t : problem.inputs) {
    check(in_range(t), "order: a network input that does not exist");
    is_input[index(t)] = true;
  }
  for (const int t : problem.outputs) {
    check(in_range(t), "order: a network output that does not exist");
    is_output[index(t)] = true;
  }
  for (size_t o = 0; o < problem.ops.size(); ++o) {
    for (const int t : problem.ops[o].outputs) {
      check(in_range(t) && producer[index(t)] < 0 && !is_input[index(t)],
            "order: a tensor with two producers");
      producer[index(t)] = static_cast<int>(o);
    }
    for (const int t : problem.ops[o].inputs) {
      check(in_range(t) &&
                (readers[index(t)].empty() || readers[index(t)].back() != static_cast<int>(o)),
            "order: an operator reads a tensor twice, or one that does not exist");
      readers[index(t)].push_back(static_cast<int>(o));
    }
    for (const OrderProblem::Op::InPlace& in_place : problem.ops[o].in_place) {
      const std::vector<int>& inputs = problem.ops[o].inputs;
      check(!problem.ops[o].outputs.empty() &&
                std::find(inputs.begin(), inputs.end(), in_place.input) != inputs.end(),
            "order: in place of a tensor that the operator does not read");
    }
  }
  before.resize(problem.ops.size());
  after.resize(problem.ops.size());
  for (size_t t = 0; t < count; ++t) {
    if (producer[t] < 0) continue;
    for (const int reader : readers[t]) {
      std::vector<int>& known = before[index(reader)];
      if (std::find(known.begin(), known.end(), producer[t]) != known.end()) continue;
      known.push_back(producer[t]);
      after[index(producer[t])].push_back(reader);
    }
  }
}

Execution::Execution(const OrderProblem& problem, const OrderLinks& links)
    : problem_(problem),
      links_(links),
      executed_(empty_set(problem.ops.size())),
      ready_(executed_),
      last_(executed_),
      after_done_(problem.ops.size(), 0) {
  for (size_t t = 0; t < problem.size_bytes.size(); ++t) {
    reads_left_.push_back(static_cast<int>(links.readers[t].size()));
    if (links.is_input[t] && needed(static_cast<int>(t))) live_bytes_ += problem.size_bytes[t];
  }
  for (size_t o = 0; o < problem.ops.size(); ++o) {
    before_left_.push_back(static_cast<int>(links.before[o].size()));
    place(static_cast<int>(o));
  }
}

int64_t Execution::working_set(int op) const {
  const OrderProblem::Op& o = problem_.ops[index(op)];
  int64_t outputs = 0;
  for (const int t : o.outputs) outputs += size(t);
  int64_t extra = outputs + o.scratch_bytes;
  for (const OrderProblem::Op::InPlace& in_place : o.in_place) {
    const bool last_reader = reads_left_[index(in_place.input)] == 1;
    if (!last_reader || links_.is_output[index(in_place.input)]) continue;
    const int64_t shared = std::min(size(in_place.input), size(o.outputs[0]));
    extra = std::min(extra, outputs - shared + in_place.scratch_bytes);
  }
  return live_bytes_ + extra;
}

int64_t Execution::live_bytes_after(int op) const {
  const OrderProblem::Op& o = problem_.ops[index(op)];
  int64_t result = live_bytes_;
  for (const int t : o.inputs) {
    const bool last_reader = reads_left_[index(t)] == 1;
    if (last_reader && !links_.is_output[index(t)]) result -= size(t);
  }
  for (const int t : o.outputs) {
    if (needed(t)) result += size(t);
  }
  return result;
}

void Execution::execute(int op) {
  live_bytes_ = live_bytes_after(op);
  count(op, 1);
}

void Execution::undo(int op) {
  count(op, -1);
  live_bytes_ -= live_bytes_after(op) - live_bytes_;
}

void Execution::go_to(std::span<const uint64_t> executed, int64_t live_bytes) {
  for (size_t w = 0; w < executed_.size(); ++w) {
    const uint64_t changed = executed[w] ^ executed_[w];
    for_each({&changed, 1}, [&](int bit) {
      count(static_cast<int>(w * 64) + bit, executed[w] >> bit & 1 ? 1 : -1);
    });
  }
  live_bytes_ = live_bytes;
}

/// Counts `op` as executed (sign 1), or not (-1). The counts are sums: any sequence will do.
void Execution::count(int op, int sign) {
  put(executed_, op, sign > 0);
  for (const int t : problem_.ops[index(op)].inputs) reads_left_[index(t)] -= sign;
  for (const int other : links_.after[index(op)]) {
    before_left_[index(other)] -= sign;
    place(other);
  }
  for (const int other : links_.before[index(op)]) {
    after_done_[index(other)] += sign;
    place(other);
  }
  place(op);
}

void Execution::place(int op) {
  const bool done = contains(executed_, op);
  put(ready_, op, !done && before_left_[index(op)] == 0);
  put(last_, op, done && after_done_[index(op)] == 0);
}

}  // namespace thimble
