// SPDX-License-Identifier: Apache-2.0
// What executes, and which result each operand reads: the network as a planner sees it. An operator
// has one instance, or several where its output is computed again instead of kept
// (rematerialisation); a copy has none of the network's operators. Moves turn Instances into
// others.
//
//   x -> expand -> t;  t -> mean -> ... -> gate;  t * gate -> y          one instance each
//   x -> expand -> t;  t -> mean -> ... -> gate;  x -> expand -> t2;  t2 * gate -> y
//                                                 t and t2 are two values of one tensor
#pragma once

#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

using ValueId = Id<struct ValueTag>;
using InstanceId = Id<struct InstanceTag>;

/// A result of one instance, an input of the network, or a constant.
struct Value {
  TensorId tensor;
  std::vector<int> axis_order;  ///< as it lies in memory, outermost first; empty: row-major
  MemoryId memory = kArena;     ///< kCaller, kStream: ports only; further ones: block storage
  int64_t chunk_bytes = 0;      ///< in storage: as Buffer has it
  bool operator==(const Value&) const = default;
};

struct Instance {
  OpId op;                     ///< invalid: a copy of its one operand
  std::vector<ValueId> reads;  ///< one per operand, constants included
  ValueId makes;
  bool recomputes = false;  ///< another instance computes (some of) the same elements
  bool operator==(const Instance&) const = default;
};

struct Instances {
  std::vector<Value> values;             ///< the first are the graph's tensors: ValueId = TensorId
  std::vector<Instance> list;            ///< in an order in which they can execute
  std::vector<ValueId> inputs, outputs;  ///< one per port of the graph

  [[nodiscard]] const Value& value(ValueId id) const { return values[id.index()]; }
  [[nodiscard]] const Instance& instance(InstanceId id) const { return list[id.index()]; }
  /// Whether a copy takes rows from the caller, or hands them out.
  [[nodiscard]] bool receives(const Instance& copy) const {
    return !copy.op.valid() && value(copy.reads[0]).memory == kStream;
  }
  [[nodiscard]] bool delivers(const Instance& copy) const {
    return !copy.op.valid() && value(copy.makes).memory == kStream;
  }
  /// Whether a copy takes a value to block storage, or brings one from there.
  [[nodiscard]] bool stores(const Instance& copy) const {
    return !copy.op.valid() && value(copy.makes).memory >= kFirstFurtherMemory;
  }
  [[nodiscard]] bool fetches(const Instance& copy) const {
    return !copy.op.valid() && value(copy.reads[0]).memory >= kFirstFurtherMemory;
  }
  bool operator==(const Instances&) const = default;
};

/// One instance per operator, in the order of the graph. A streamed input is received by a copy
/// before all others, a streamed output delivered by one behind them: the port's value is then the
/// stream, and the tensor's own value is what lies in the arena.
[[nodiscard]] Instances instances_of(const Graph& graph, const PortPlaces& ports);

/// A new value, behind the others.
[[nodiscard]] ValueId add_value(Instances& instances, Value value);

/// Per value: the instance that makes it; invalid for inputs and constants.
[[nodiscard]] std::vector<InstanceId> makers(const Instances& instances);
/// Per value, ascending, each once.
[[nodiscard]] std::vector<std::vector<InstanceId>> readers(const Instances& instances);

/// What all of the value takes of the arena: in storage, the tags of its records; elsewhere
/// nothing.
[[nodiscard]] int64_t arena_bytes(const Graph& graph, const Value& value);

/// What a copy from or to storage takes of the arena while it goes on: its passage.
[[nodiscard]] int64_t passage_bytes(const Instances& instances, const Instance& copy);

/// All of the value, as it lies in memory.
[[nodiscard]] Buffer whole_buffer(const Graph& graph, const Value& value);
/// Whether a copy of all of `from` to the other order of axes that `to` has, in the arena, may have
/// both at the same address.
[[nodiscard]] bool relayouts_in_place(const Graph& graph, const Value& from, const Value& to);

}  // namespace thimble
