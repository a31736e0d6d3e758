// SPDX-License-Identifier: Apache-2.0
#include "tests/program/mutants.h"

#include <fmt/format.h>

#include "thimble/import/tensor_file.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/shared_bytes.h"

namespace thimble::testing {
namespace {

// A list of nodes and a position in it: what a mutation changes.
struct Place {
  std::vector<ProgramNode>* nodes;
  size_t at;
  [[nodiscard]] Call& call() const { return std::get<Call>((*nodes)[at].what); }
};

void find_calls(std::vector<ProgramNode>& nodes, std::vector<Place>& places) {
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (auto* loop = std::get_if<ProgramLoop>(&nodes[k].what)) {
      find_calls(loop->body, places);
    } else {
      places.push_back({&nodes, k});
    }
  }
}

std::vector<ProgramLoop*> find_loops(std::vector<ProgramNode>& nodes) {
  std::vector<ProgramLoop*> loops;
  for (ProgramNode& node : nodes) {
    auto* loop = std::get_if<ProgramLoop>(&node.what);
    if (loop == nullptr) continue;
    loops.push_back(loop);
    for (ProgramLoop* inner : find_loops(loop->body)) loops.push_back(inner);
  }
  return loops;
}

using Change = std::function<void(const Place&)>;

class Maker {
 public:
  Maker(const Graph& graph, const Schedule& schedule, const Placement& placement)
      : graph_(graph),
        schedule_(schedule),
        placement_(placement),
        program_(lower(graph, schedule, placement)) {}

  std::vector<Mutant> run() {
    std::vector<Place> places;
    find_calls(program_.nodes, places);
    for (size_t k = 0; k < places.size(); ++k) calls(k, places[k]);
    for (size_t k = 0; k + 1 < places.size(); ++k) pieces(k, places[k], places[k + 1]);
    const size_t loop_count = find_loops(program_.nodes).size();
    for (size_t k = 0; k < loop_count; ++k) {
      mutants_.push_back({fmt::format("loop {} one short", k), [program = program_, k] {
                            Program mutant = program;
                            --find_loops(mutant.nodes)[k]->count;
                            return mutant;
                          }});
    }
    shares();
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) buffers(b);
    return std::move(mutants_);
  }

 private:
  void change(size_t number, const std::string& what, const Change& apply) {
    mutants_.push_back(
        {fmt::format("call {}: {}", number, what), [program = program_, number, apply] {
           Program mutant = program;
           std::vector<Place> places;
           find_calls(mutant.nodes, places);
           apply(places[number]);
           return mutant;
         }});
  }

  void calls(size_t number, const Place& place) {
    change(number, "dropped", [](const Place& p) {
      p.nodes->erase(p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at));
    });
    change(number, "doubled", [](const Place& p) {
      const ProgramNode copy = (*p.nodes)[p.at];
      p.nodes->insert(p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at), copy);
    });
    if (place.at + 1 < place.nodes->size()) {
      change(number, "swapped with the next",
             [](const Place& p) { std::swap((*p.nodes)[p.at], (*p.nodes)[p.at + 1]); });
    }
    const Call& call = place.call();
    for (size_t axis = 0; axis < 4; ++axis) {
      if (call.axes[axis].limits.size() < 2) continue;
      change(
          number, fmt::format("region of axis {} starts one later", axis), [axis](const Place& p) {
            p.call().axes[axis].interval.begin.base += p.call().axes[axis].interval.begin.divisor;
          });
      change(number, fmt::format("region of axis {} ends one earlier", axis),
             [axis](const Place& p) {
               CallAxis& a = p.call().axes[axis];
               a.interval.end =
                   a.interval.end.constant() ? index(a.limits.end - 1) : a.interval.end + -1;
             });
      change(number, fmt::format("output stride {} off by one", axis),
             [axis](const Place& p) { ++p.call().out.stride[axis]; });
      for (size_t k = 0; k < call.in.size(); ++k) {
        change(number, fmt::format("stride {} of operand {} off by one", axis, k),
               [axis, k](const Place& p) { ++p.call().in[k].stride[axis]; });
      }
    }
    for (const int64_t rows : {-1, 1}) {
      if (!receives(call) && !delivers(call)) break;
      change(number, rows < 0 ? "rows one later" : "rows one earlier", [rows](const Place& p) {
        IntervalExpr& interval = p.call().axes[kStreamAxis].interval;
        interval.begin.base += rows * interval.begin.divisor;
        interval.end.base += rows * interval.end.divisor;
      });
    }
    if (call.chunk) {
      change(number, "chunk one channel early",
             [](const Place& p) { --p.call().chunk->interval.begin.base; });
      change(number, "chunk one channel late",
             [](const Place& p) { ++p.call().chunk->interval.begin.base; });
      change(number, "chunk one channel longer",
             [](const Place& p) { ++p.call().chunk->interval.end.base; });
      change(number, "chunk one channel shorter",
             [](const Place& p) { --p.call().chunk->interval.end.base; });
      change(number, "every chunk the first",
             [](const Place& p) { p.call().chunk->interval.begin = index(0); });
      change(number, "accumulators of another width", [](const Place& p) {
        DType& type = p.call().out.type;
        type = type == DType::kInt8 ? DType::kInt16 : DType::kInt8;
      });
      change(number, "kernel of another width", [](const Place& p) {
        KernelId& kernel = p.call().kernel;
        kernel = kernel == KernelId::kConv2DAccumulateI8 ? KernelId::kConv2DAccumulateI16
                                                         : KernelId::kConv2DAccumulateI8;
      });
    }
    change(number, "output bias off by one", [](const Place& p) {
      p.call().out.bias.push_back({1, index(1)});
    });
    for (size_t k = 0; k < call.in.size(); ++k) {
      change(number, fmt::format("bias of operand {} off by one", k), [k](const Place& p) {
        p.call().in[k].bias.push_back({-1, index(1)});
      });
    }
  }

  // Of one step in pieces, or of two steps that happen to read alike.
  void pieces(size_t number, const Place& place, const Place& next) {
    const Call &a = place.call(), &b = next.call();
    if (a.op != b.op || a.method != b.method || a.use != b.use || place.nodes != next.nodes) return;
    for (size_t k = 0; k < a.in.size(); ++k) {
      if (a.in[k] == b.in[k]) continue;
      change(number, fmt::format("operand {} exchanged with the next piece's", k),
             [k](const Place& p) {
               std::swap(p.call().in[k], std::get<Call>((*p.nodes)[p.at + 1].what).in[k]);
             });
      change(number, fmt::format("operand {} as the next piece's", k), [k](const Place& p) {
        p.call().in[k] = std::get<Call>((*p.nodes)[p.at + 1].what).in[k];
      });
    }
  }

  void shares() {
    for (const SharedBytes& shared : shared_bytes(graph_, schedule_)) {
      const int64_t lead = shared.same_address ? 0 : shared.lead_bytes.value_or(0);
      const int64_t address = placement_.addresses[shared.in.index()] - lead + 1;
      if (address < 0) continue;
      mutants_.push_back(
          {fmt::format("buffer {} a byte too far over {}", shared.out.value, shared.in.value),
           [this_graph = &graph_, this_schedule = &schedule_, placement = placement_,
            out = shared.out, address]() mutable {
             placement.addresses[out.index()] = address;
             const int64_t end = address + this_schedule->buffer(out).size_bytes();
             placement.arena_bytes = std::max(placement.arena_bytes, end);
             return lower(*this_graph, *this_schedule, placement);
           }});
    }
  }

  void buffers(size_t b) {
    for (int64_t by : {-1, 1}) {
      if (placement_.addresses[b] + by < 0) continue;
      mutants_.push_back({fmt::format("buffer {} moved by {}", b, by),
                          [this_graph = &graph_, this_schedule = &schedule_, placement = placement_,
                           b, by]() mutable {
                            placement.addresses[b] += by;
                            return lower(*this_graph, *this_schedule, placement);
                          }});
    }
    const Buffer& buffer = schedule_.buffers[b];
    if (!buffer.wrap || buffer.wrap->modulus < 2) return;
    mutants_.push_back(
        {fmt::format("ring {} one short", b),
         [this_graph = &graph_, schedule = schedule_, placement = placement_, b]() mutable {
           --schedule.buffers[b].wrap->modulus;
           return lower(*this_graph, schedule, placement);
         }});
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Placement& placement_;
  Program program_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants(const Graph& graph, const Schedule& schedule,
                            const Placement& placement) {
  return Maker(graph, schedule, placement).run();
}

MutantCount count_mutants(const Graph& graph, const Schedule& schedule, const Placement& placement,
                          int every) {
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    const Tensor& t = graph.tensor(port.tensor);
    inputs.push_back(random_bytes(t.type, elements(t.shape), 7));
  }
  const std::vector<Bytes> expected = execute(lower(graph, schedule, placement), inputs);
  MutantCount count;
  const std::vector<Mutant> all = mutants(graph, schedule, placement);
  for (size_t k = 0; k < all.size(); k += static_cast<size_t>(every)) {
    const Program mutant = all[k].make();
    ++count.made;
    if (!verify(graph, mutant).ok()) {
      ++count.caught;
    } else if (execute(mutant, inputs) == expected) {
      ++count.harmless;
    } else {
      count.missed.push_back(all[k].what);
    }
  }
  return count;
}

}  // namespace thimble::testing
