// SPDX-License-Identifier: Apache-2.0
#include "tests/program/mutants.h"

#include <fmt/format.h>

#include <memory>

#include "thimble/analysis/overlaps.h"
#include "thimble/import/tensor_file.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/target/kernels/fields.h"

namespace thimble::testing {
namespace {

// A list of nodes and a position in it: what a mutation changes.
struct Place {
  std::vector<ProgramNode>* nodes;
  size_t at;
  [[nodiscard]] Call& call() const { return std::get<Call>((*nodes)[at].what); }
  [[nodiscard]] TransferCall& transfer() const { return std::get<TransferCall>((*nodes)[at].what); }
};

template <class Kind>
void find(std::vector<ProgramNode>& nodes, std::vector<Place>& places) {
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (auto* loop = std::get_if<ProgramLoop>(&nodes[k].what)) {
      find<Kind>(loop->body, places);
    } else if (std::holds_alternative<Kind>(nodes[k].what)) {
      places.push_back({&nodes, k});
    }
  }
}

void find_calls(std::vector<ProgramNode>& nodes, std::vector<Place>& places) {
  find<Call>(nodes, places);
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

// Every number of a set of parameters.
template <class Visit>
void each_number(KernelParams& params, const Visit& visit) {
  std::visit(
      [&](auto& p) {
        if constexpr (!std::is_same_v<decltype(p), std::monostate&>) {
          each_leaf(p, [&](auto& leaf) {
            if constexpr (!std::is_pointer_v<std::decay_t<decltype(leaf)>>) visit(leaf);
          });
        }
      },
      params);
}

// Noise, and the least and the most that every element can be.
std::vector<std::vector<Bytes>> several_inputs(const Graph& graph) {
  std::vector<std::vector<Bytes>> result(4);
  for (const Port& port : graph.inputs) {
    const Tensor& t = graph.tensor(port.tensor);
    result[0].push_back(random_bytes(t.type, elements(t.shape), 7));
    result[1].push_back(random_bytes(t.type, elements(t.shape), 8));
    const bool real = t.type == DType::kFloat32;
    const auto size = static_cast<size_t>(t.size_bytes());
    result[2].push_back(real ? Bytes(size) : Bytes(size, 0x80));
    result[3].push_back(real ? random_bytes(t.type, elements(t.shape), 9) : Bytes(size, 0x7F));
  }
  return result;
}

class Maker {
 public:
  Maker(const Graph& graph, const Schedule& schedule, const Placement& placement)
      : graph_(graph),
        schedule_(schedule),
        placement_(placement),
        program_(std::make_shared<const Program>(lower(graph, schedule, placement))),
        start_(*program_) {}

  std::vector<Mutant> run() {
    std::vector<Place> places;
    find_calls(start_.nodes, places);
    for (size_t k = 0; k < places.size(); ++k) calls(k, places[k]);
    std::vector<Place> moving;
    find<TransferCall>(start_.nodes, moving);
    for (size_t k = 0; k < moving.size(); ++k) transfers(k, moving[k]);
    for (size_t k = 0; k + 1 < places.size(); ++k) pieces(k, places[k], places[k + 1]);
    const size_t loop_count = find_loops(start_.nodes).size();
    for (size_t k = 0; k < loop_count; ++k) {
      mutants_.push_back(
          {MutantKind::kPlan, fmt::format("loop {} one short", k), [program = program_, k] {
             Program mutant = *program;
             --find_loops(mutant.nodes)[k]->count;
             return mutant;
           }});
    }
    shares();
    for (size_t p = 0; p < start_.params.size(); ++p) {
      parameters(p);
      if (start_.params[p].records) records(p);
    }
    for (size_t c = 0; c < start_.constants.size(); ++c) constants(c);
    for (size_t k = 0; k < places.size(); ++k) {
      if (places[k].call().scratch.valid()) scratch(k, places[k].call().scratch);
    }
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) buffers(b);
    return std::move(mutants_);
  }

 private:
  void change(size_t number, const std::string& what, const Change& apply) {
    mutants_.push_back({MutantKind::kPlan, fmt::format("call {}: {}", number, what),
                        [program = program_, number, apply] {
                          Program mutant = *program;
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
      if (!receives(start_, call) && !delivers(start_, call)) break;
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
        const DType other = info(kernel).out == DType::kInt8 ? DType::kInt16 : DType::kInt8;
        kernel = portable_kernel(Family::kConv2DAccumulate, DType::kInt8, other);
      });
    }
    if (call.brought.valid()) brought(number, call);
    change(number, "output bias off by one", [](const Place& p) {
      p.call().out.bias.push_back({1, index(1)});
    });
    for (size_t k = 0; k < call.in.size(); ++k) {
      change(number, fmt::format("bias of operand {} off by one", k), [k](const Place& p) {
        p.call().in[k].bias.push_back({-1, index(1)});
      });
    }
  }

  void brought(size_t number, const Call& call) {
    for (const int64_t by : {-1, 1}) {
      change(number, fmt::format("record of its constants by {}", by),
             [by](const Place& p) { p.call().record.base += by; });
    }
    for (const PlacedBuffer& buffer : start_.buffers) {
      if (buffer.packed < 0 || buffer.id == call.brought) continue;
      change(number, fmt::format("constants in buffer {}", buffer.id.value),
             [id = buffer.id](const Place& p) { p.call().brought = id; });
    }
    change(number, "constants in flash", [](const Place& p) { p.call().brought = {}; });
  }

  // Where a set of parameters finds its constants in a record.
  void records(size_t p) {
    const auto add = [&](const std::string& what, const std::function<void(RecordLayout&)>& apply) {
      change_program(MutantKind::kParameters, fmt::format("records of parameters {}: {}", p, what),
                     [p, apply](Program& program) { apply(*program.params[p].records); });
    };
    for (const int64_t by : {-4, 4}) {
      add(fmt::format("bytes by {}", by), [by](RecordLayout& r) { r.record_bytes += by; });
      for (size_t k = 0; k < start_.params[p].constants.size(); ++k) {
        add(fmt::format("part {} by {}", k, by),
            [k, by](RecordLayout& r) { r.parts[k].offset += by; });
        add(fmt::format("part {} from channel to channel by {}", k, by),
            [k, by](RecordLayout& r) { r.parts[k].bytes_of_channels += by; });
      }
    }
    for (const int64_t by : {-1, 1}) {
      add(fmt::format("count by {}", by), [by](RecordLayout& r) { r.count += by; });
      add(fmt::format("channels by {}", by), [by](RecordLayout& r) { r.channels += by; });
    }
    change_program(MutantKind::kParameters, fmt::format("parameters {} in flash", p),
                   [p](Program& program) { program.params[p].records.reset(); });
  }

  // Swaps operands of one step in pieces, or of two steps that happen to read alike.
  void pieces(size_t number, const Place& place, const Place& next) {
    const Call &a = place.call(), &b = next.call();
    if (a.op != b.op || a.method != b.method || a.use != b.use || place.nodes != next.nodes ||
        next.at != place.at + 1)
      return;
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

  void change_transfer(size_t number, const std::string& what,
                       const std::function<void(Program&, const Place&)>& apply) {
    mutants_.push_back({MutantKind::kTransfers, fmt::format("transfer {}: {}", number, what),
                        [program = program_, number, apply] {
                          Program mutant = *program;
                          std::vector<Place> places;
                          find<TransferCall>(mutant.nodes, places);
                          apply(mutant, places[number]);
                          return mutant;
                        }});
  }

  void transfers(size_t number, const Place& place) {
    change_transfer(number, "dropped", [](Program&, const Place& p) {
      p.nodes->erase(p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at));
    });
    change_transfer(number, "doubled", [](Program&, const Place& p) {
      const ProgramNode copy = (*p.nodes)[p.at];
      p.nodes->insert(p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at), copy);
    });
    for (size_t next = place.at + 1; next < place.nodes->size(); ++next) {
      const auto by = static_cast<std::ptrdiff_t>(next - place.at);
      change_transfer(number, fmt::format("{} later", by), [by](Program&, const Place& p) {
        const auto first = p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at);
        std::rotate(first, first + 1, first + by + 1);
      });
    }
    for (size_t before = 0; before < place.at; ++before) {
      change_transfer(number, fmt::format("{} earlier", place.at - before),
                      [before](Program&, const Place& p) {
                        const auto first = p.nodes->begin() + static_cast<std::ptrdiff_t>(before);
                        const auto it = p.nodes->begin() + static_cast<std::ptrdiff_t>(p.at);
                        std::rotate(first, it, it + 1);
                      });
    }
    for (int32_t token = 0; token < start_.token_count; ++token) {
      if (place.transfer().token.value == token) continue;
      change_transfer(number, fmt::format("with token {}", token),
                      [token](Program&, const Place& p) { p.transfer().token = {token}; });
    }
    const auto numbers = [&](const char* what, int64_t TransferCall::*field) {
      for (const int by : {-1, 1}) {
        change_transfer(number, fmt::format("{} by {}", what, by),
                        [field, by](Program&, const Place& p) { p.transfer().*field += by; });
      }
    };
    if (place.transfer().kind == TransferKind::kErase) {
      change_transfer(number, "of a block more", [](Program& program, const Place& p) {
        PlacedBuffer& buffer = program.buffers[p.transfer().stored.index()];
        buffer.size_bytes += program.memory(buffer.memory).storage->erase_bytes;
      });
    }
    if (place.transfer().passage.valid()) {
      numbers("chunk", &TransferCall::chunk_bytes);
      numbers("first bytes", &TransferCall::first_bytes);
      for (int32_t b = -1; b < static_cast<int32_t>(schedule_.buffers.size()); ++b) {
        if (place.transfer().passage.value == b) continue;
        change_transfer(number, fmt::format("passage in buffer {}", b),
                        [b](Program&, const Place& p) { p.transfer().passage = {b}; });
      }
      change_transfer(number, "as it is", [](Program&, const Place& p) {
        p.transfer().passage = {};
        p.transfer().chunk_bytes = p.transfer().first_bytes = 0;
      });
    }
    if (place.transfer().kind != TransferKind::kRead &&
        place.transfer().kind != TransferKind::kWrite)
      return;
    change_transfer(number, "turned round", [](Program&, const Place& p) {
      TransferKind& kind = p.transfer().kind;
      kind = kind == TransferKind::kRead ? TransferKind::kWrite : TransferKind::kRead;
    });
    numbers("record bytes", &TransferCall::record_bytes);
    numbers("stride", &TransferCall::stride_bytes);
    numbers("rows", &TransferCall::rows);
    for (const int by : {-1, 1}) {
      const auto bound = [&](const char* what, auto pick) {
        change_transfer(number, fmt::format("{} by {}", what, by),
                        [pick, by](Program&, const Place& p) {
                          IndexExpr& expr = pick(p.transfer());
                          expr.base += by * expr.divisor;
                        });
      };
      bound("origin", [](TransferCall& t) -> IndexExpr& { return t.origin; });
      bound("first record", [](TransferCall& t) -> IndexExpr& { return t.records.interval.begin; });
      bound("last record", [](TransferCall& t) -> IndexExpr& { return t.records.interval.end; });
    }
    for (int32_t b = 0; b < static_cast<int32_t>(schedule_.buffers.size()); ++b) {
      for (const auto& [what, side] : {std::pair{"stored in", &TransferCall::stored},
                                       {"held in", &TransferCall::held},
                                       {"tags in", &TransferCall::tags}}) {
        if ((place.transfer().*side).value == b) continue;
        change_transfer(number, fmt::format("{} buffer {}", what, b),
                        [side = side, b](Program&, const Place& p) { p.transfer().*side = {b}; });
      }
    }
  }

  void change_program(MutantKind kind, const std::string& what,
                      const std::function<void(Program&)>& apply) {
    mutants_.push_back({kind, what, [program = program_, apply] {
                          Program mutant = *program;
                          apply(mutant);
                          return mutant;
                        }});
  }

  void parameters(size_t p) {
    size_t leaves = 0;
    each_number(start_.params[p].params, [&](auto&) { ++leaves; });
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      for (const int by : {-1, 1}) {
        change_program(MutantKind::kParameters,
                       fmt::format("parameters {}: number {} by {}", p, leaf, by),
                       [p, leaf, by](Program& program) {
                         size_t k = 0;
                         each_number(program.params[p].params, [&](auto& number) {
                           if (k++ == leaf)
                             number += static_cast<std::decay_t<decltype(number)>>(by);
                         });
                       });
      }
    }
    for (size_t q = p + 1; q < start_.params.size(); ++q) {
      if (start_.params[p].params.index() != start_.params[q].params.index()) continue;
      if (same_values(start_.params[p].params, start_.params[q].params)) continue;
      change_program(MutantKind::kParameters, fmt::format("parameters {} and {} exchanged", p, q),
                     [p, q](Program& program) {
                       std::swap(program.params[p].params, program.params[q].params);
                     });
      break;
    }
  }

  void constants(size_t c) {
    const size_t size = start_.constants[c].content.data.size();
    if (size == 0) return;
    for (const size_t at : {size_t{0}, size / 3, size - 1}) {
      change_program(MutantKind::kConstants, fmt::format("constant {}: byte {} changed", c, at),
                     [c, at](Program& program) { ++program.constants[c].content.data.own()[at]; });
    }
    const Bytes& data = start_.constants[c].content.data;
    for (size_t at = size / 2; at + 1 < size; ++at) {
      if (data[at] == data[at + 1]) continue;
      change_program(MutantKind::kConstants,
                     fmt::format("constant {}: bytes from {} exchanged", c, at),
                     [c, at](Program& program) {
                       Bytes& bytes = program.constants[c].content.data.own();
                       std::swap(bytes[at], bytes[at + 1]);
                     });
      break;
    }
  }

  void scratch(size_t number, BufferId buffer) {
    const auto add = [&](const std::string& what,
                         const std::function<void(Program&, Call&)>& apply) {
      change_program(MutantKind::kScratch, fmt::format("call {}: scratch {}", number, what),
                     [number, apply](Program& program) {
                       std::vector<Place> places;
                       find_calls(program.nodes, places);
                       apply(program, places[number].call());
                     });
    };
    add("left out", [](Program&, Call& call) { call.scratch = {}; });
    add("one byte short",
        [buffer](Program& program, Call&) { --program.buffers[buffer.index()].size_bytes; });
    add("in the output", [buffer](Program& program, Call& call) {
      program.buffers[buffer.index()].address = program.address(call.out.buffer);
    });
    add("beyond the arena", [buffer](Program& program, Call&) {
      program.buffers[buffer.index()].address = program.arena_bytes();
    });
  }

  void shares() {
    for (const Overlap& overlap : overlaps(graph_, schedule_)) {
      const int64_t lead = overlap.same_address ? 0 : overlap.lead_bytes.value_or(0);
      const int64_t address = placement_.addresses[overlap.in.index()] - lead + 1;
      if (address < 0) continue;
      mutants_.push_back(
          {MutantKind::kAddresses,
           fmt::format("buffer {} a byte too far over {}", overlap.out.value, overlap.in.value),
           [this_graph = &graph_, this_schedule = &schedule_, placement = placement_,
            out = overlap.out, address]() mutable {
             placement.addresses[out.index()] = address;
             return lower(*this_graph, *this_schedule,
                          placement_at(*this_schedule, std::move(placement.addresses)));
           }});
    }
  }

  void buffers(size_t b) {
    for (int64_t by : {-1, 1}) {
      if (placement_.addresses[b] + by < 0) continue;
      mutants_.push_back({MutantKind::kAddresses, fmt::format("buffer {} moved by {}", b, by),
                          [this_graph = &graph_, this_schedule = &schedule_, placement = placement_,
                           b, by]() mutable {
                            placement.addresses[b] += by;
                            return lower(*this_graph, *this_schedule, placement);
                          }});
    }
    for (size_t m = kFirstFurtherMemory.index(); m < start_.memories.size(); ++m) {
      for (const MemoryId to : {MemoryId{static_cast<int32_t>(m)}, kArena, kFlash}) {
        if (to == start_.buffers[b].memory) continue;
        change_program(MutantKind::kAddresses,
                       fmt::format("buffer {} in {}", b, start_.memory(to).name),
                       [b, to](Program& program) { program.buffers[b].memory = to; });
      }
    }
    const Buffer& buffer = schedule_.buffers[b];
    if (!buffer.wrap || buffer.wrap->modulus < 2) return;
    mutants_.push_back(
        {MutantKind::kPlan, fmt::format("ring {} one short", b),
         [this_graph = &graph_, schedule = schedule_, placement = placement_, b]() mutable {
           --schedule.buffers[b].wrap->modulus;
           return lower(*this_graph, schedule, placement);
         }});
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Placement& placement_;
  std::shared_ptr<const Program> program_;  ///< shared by the mutants to be: it has all weights
  Program start_;
  std::vector<Mutant> mutants_;
};

}  // namespace

const char* name(MutantKind kind) {
  switch (kind) {
    case MutantKind::kPlan:
      return "plan";
    case MutantKind::kParameters:
      return "parameters";
    case MutantKind::kConstants:
      return "constants";
    case MutantKind::kAddresses:
      return "addresses";
    case MutantKind::kTransfers:
      return "transfers";
    case MutantKind::kScratch:
      return "scratch";
  }
  return "";
}

std::vector<Mutant> mutants(const Graph& graph, const Schedule& schedule,
                            const Placement& placement) {
  return Maker(graph, schedule, placement).run();
}

MutantCount count_mutants(const Graph& graph, const Schedule& schedule, const Placement& placement,
                          int every, std::optional<MutantKind> kind) {
  const std::vector<std::vector<Bytes>> inputs = several_inputs(graph);
  const Program right = lower(graph, schedule, placement);
  std::vector<std::vector<Bytes>> expected;
  for (const std::vector<Bytes>& input : inputs) expected.push_back(execute(right, input));
  const auto is_harmless = [&](const Program& mutant) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (execute(mutant, inputs[k]) != expected[k]) return false;
    }
    return true;
  };
  MutantCount count;
  std::vector<Mutant> all = mutants(graph, schedule, placement);
  if (kind) std::erase_if(all, [&](const Mutant& mutant) { return mutant.kind != *kind; });
  for (size_t k = 0; k < all.size(); k += static_cast<size_t>(every)) {
    const Program mutant = all[k].make();
    ++count.made;
    ++count.made_of[all[k].kind];
    if (!verify(graph, mutant).ok()) {
      ++count.caught;
      ++count.caught_of[all[k].kind];
    } else if (is_harmless(mutant)) {
      ++count.harmless;
    } else {
      count.missed.push_back(all[k].what);
    }
  }
  return count;
}

}  // namespace thimble::testing
