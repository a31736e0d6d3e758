// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "thimble/operators/element_reads.h"
#include "thimble/operators/operators.h"
#include "thimble/program/call_form.h"
#include "thimble/program/flights.h"
#include "thimble/program/memory_fault.h"
#include "thimble/program/side.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

// Work is counted in bytes compared, about. Plans do a small multiple of the network's own work:
// each operand of an element is looked at once at most, in runs, and calls at borders do nothing.
constexpr double kWorkOfNetwork = 32, kWorkOfAnyPlan = 2.5e8;
constexpr double kWorkOfCall = 64, kWorkOfRun = 8;

double most_work(const Graph& graph) {
  double own = 0;
  for (const Op& op : graph.ops) own += element_reads(graph, op);
  for (const Tensor& t : graph.tensors) own += static_cast<double>(elements(t.shape));
  return kWorkOfAnyPlan + kWorkOfNetwork * own;
}

class Verifier {
 public:
  Verifier(const Graph& graph, const Program& program)
      : graph_(graph),
        program_(program),
        maps_(access_maps(graph)),
        forms_(graph, program),
        produced_(2 * graph.tensors.size()),
        most_work_(most_work(graph)) {}

  Verification run() {
    try {
      if (const std::string fault = memory_fault(program_); !fault.empty()) throw Fault{fault};
      check_states();
      make_shadows();
      for (const ProgramPort& port : program_.inputs) fill(port);
      for (const ProgramState& state : program_.states) fill(state.before);
      for (const ProgramPort& port : program_.inputs) check_complete(port, "at the start", "input");
      for (const ProgramState& state : program_.states)
        check_complete(state.before, "at the start", "state");
      thimble::execute(
          program_, [&](const Call& call, const Counters& counters) { visit(call, counters); },
          [&](const TransferCall& transfer, const Counters& counters) {
            const int64_t before = flights_.moved_bytes();
            flights_.execute(transfer, counters);
            spend(kWorkOfCall + static_cast<double>(flights_.moved_bytes() - before));
          });
      flights_.check_landed();
      for (const ProgramPort& port : program_.outputs) check_complete(port, "at the end", "output");
      for (const ProgramState& state : program_.states)
        check_complete(state.after, "at the end", "state");
      for (const ProgramPort& port : program_.inputs) check_received(port);
    } catch (const Fault& fault) {
      result_.fault = fault.message;
      result_.too_wide = fault.too_wide;
    }
    return result_;
  }

 private:
  // That they are at one address, memory_fault has seen.
  void check_states() const {
    const auto is = [](const ProgramState& given, const State& wanted) {
      return given.before.tensor == wanted.in && given.after.tensor == wanted.out &&
             *given.initial == *wanted.initial;
    };
    if (!std::ranges::equal(program_.states, graph_.states, is))
      throw Fault{"its states are not those of the network"};
  }

  void make_shadows() {
    for (const ProgramMemory& memory : program_.memories)
      laid_out_.emplace_back(memory.kind == MemoryKind::kMappedFlash ? 0 : memory.size_bytes);
    for (const std::vector<ProgramPort>* ports : {&program_.inputs, &program_.outputs}) {
      for (const ProgramPort& port : *ports) {
        if (!is_laid_out(program_.memory_of(port.buffer)))
          callers_.try_emplace(port.buffer, port.size_bytes);
      }
    }
  }

  // Null: flash.
  ShadowMemory* shadow_of(BufferId buffer) {
    const MemoryId memory = program_.memory_of(buffer);
    if (memory == kFlash) return nullptr;
    if (is_laid_out(memory)) return &laid_out_[memory.index()];
    const auto it = callers_.find(buffer);
    if (it == callers_.end()) throw Fault{"a view of the caller's memory where there is none"};
    return &it->second;
  }

  const std::string& memory_name(BufferId buffer) const {
    return program_.memory(program_.memory_of(buffer)).name;
  }

  std::string describe_byte(ShadowByte byte) const {
    const Content& content = contents_[byte.content];
    if (content.image.valid())
      return fmt::format("byte {} of packed constants {}", byte.byte, content.image.value);
    if (!content.tensor.valid()) return "nothing";
    const DType type = content.sums ? accumulator_type(graph_, content.tensor)
                                    : graph_.tensor(content.tensor).type;
    return fmt::format("{}element {} of {}{}", content.sums ? "accumulator of " : "",
                       byte.byte / size_bytes(type), describe(graph_, content.tensor),
                       content.sums ? fmt::format(" with {} added", content.reduced) : "");
  }

  void spend(double work) {
    work_ += work;
    if (work_ <= most_work_) return;
    throw Fault{
        fmt::format("it does more work than {:.3g} times the network's own takes; not followed "
                    "further after {} calls",
                    kWorkOfNetwork, result_.calls)};
  }

  // Calls visit(address, first byte, bytes) for runs of the port's memory.
  template <class Visit>
  void each_port_run(const ProgramPort& port, const ShadowMemory& memory, const Visit& visit) {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const int64_t size = size_bytes(tensor.type), count = elements(tensor.shape);
    const int64_t address = program_.address(port.buffer);
    if (!memory.inside(address, count * size))
      throw Fault{fmt::format("{} lies outside the {}", describe(graph_, port.tensor),
                              memory_name(port.buffer))};
    const uint32_t values = contents_.number({port.tensor});
    if (program_.memory_of(port.buffer) == kStream || port.order.empty()) {
      visit(address, ShadowByte{values, 0}, count * size);
      return;
    }
    each_element(tensor.shape, port.order, [&](int64_t place, int64_t element) {
      visit(address + place * size, ShadowByte{values, static_cast<uint32_t>(element * size)},
            size);
    });
  }

  void fill(const ProgramPort& port) {
    ShadowMemory& memory = *shadow_of(port.buffer);
    each_port_run(port, memory, [&](int64_t address, ShadowByte first, int64_t bytes) {
      memory.write(address, first, bytes);
    });
  }

  void check_complete(const ProgramPort& port, const char* when, const char* what) {
    const ShadowMemory& memory = *shadow_of(port.buffer);
    each_port_run(port, memory, [&](int64_t address, ShadowByte first, int64_t bytes) {
      const int64_t other = memory.first_other(address, first, bytes);
      if (other < 0) return;
      const int64_t size = size_bytes(graph_.tensor(port.tensor).type);
      throw Fault{fmt::format("{}, element {} of {} {} is missing", when,
                              (first.byte + other - address) / size, what,
                              describe(graph_, port.tensor))};
    });
  }

  void check_received(const ProgramPort& port) {
    const int64_t all = elements(graph_.tensor(port.tensor).shape);
    if (program_.memory_of(port.buffer) != kStream || passed_[port.buffer] == all) return;
    throw Fault{fmt::format("at the end, element {} of input {} has not been received",
                            passed_[port.buffer], describe(graph_, port.tensor))};
  }

  Side side(const OperandView& view, const OperandAxes& walk, const runtime::View& numbers,
            bool sums) {
    return {.view = &view,
            .walk = &walk,
            .numbers = numbers,
            .address = program_.address(view.buffer),
            .memory = shadow_of(view.buffer),
            .content = {.tensor = view.tensor, .sums = sums}};
  }

  void visit(const Call& call, const Counters& counters) {
    ++result_.calls;
    spend(kWorkOfCall);
    Walk walk = forms_.walk(call);
    forms_.check(call, walk);
    for (const IndexExpr& expr : call.leading) walk.leading.push_back(evaluate(expr, counters));
    forms_.check_order(call, counters);
    const Region region = kernel_region(call, counters);
    if (receives(program_, call)) check_next_row(call, region);
    const Interval chunk = chunk_of(call, counters);
    const bool accumulate = call.method == Method::kAccumulate;
    if (empty(region) || (accumulate && chunk.empty())) return;  // the kernel does nothing
    forms_.check_region(call, walk, region);
    if (accumulate) check_chunk(call, chunk);
    const Arguments given = arguments(call, counters);
    std::vector<Side> in;
    for (size_t k = 0; k < call.in.size(); ++k) {
      const bool sums = call.method == Method::kFinalise;
      in.push_back(side(call.in[k], walk.in[k], given.in[k], sums));
      if (sums) in[k].content.reduced = reduced_extent(call);
    }
    Side out = side(call.out, walk.out, given.out, accumulate);
    if (accumulate) out.content.reduced = chunk.end;
    check_brought(call, counters, region);
    execute(call, walk, in, out, region, chunk);
    if (call.brought.valid()) check_brought(call, counters, region);  // nothing went over them
  }

  // Constants that were brought are the record that has the region's channels, all of it.
  void check_brought(const Call& call, const Counters& counters, const Region& region) {
    const ProgramParams* params =
        call.params < 0 ? nullptr : &program_.params[static_cast<size_t>(call.params)];
    const bool brings = params != nullptr && params->records.has_value();
    if (brings != call.brought.valid())
      throw Fault{describe(graph_, call) + ": its constants are not where they are brought to"};
    if (!brings) return;
    const RecordLayout& records = *params->records;
    const PlacedBuffer& held = program_.buffer(call.brought);
    const bool its =
        held.packed >= 0 && held.memory == kArena &&
        program_.params[static_cast<size_t>(held.packed)].constants == params->constants &&
        program_.params[static_cast<size_t>(held.packed)].records == records &&
        held.extents.size() == 2 && held.extents[0] > 0 &&
        held.extents[0] * records.record_bytes == held.size_bytes;
    if (!its || !has_these_records(call, *params))
      throw Fault{describe(graph_, call) + ": its constants are another call's"};
    const int64_t record = record_of(call, counters);
    const Interval channels = region.back();
    if (record < 0 || record >= records.count ||
        (records.count > 1 && (channels.begin < record * records.channels ||
                               channels.end > (record + 1) * records.channels)))
      throw Fault{
          fmt::format("{} computes channels {} to {}, which record {} of its constants does "
                      "not have",
                      describe(graph_, call), channels.begin, channels.end - 1, record)};
    const int64_t address = held.address + record % held.extents[0] * records.record_bytes;
    flights_.check_read(&laid_out_[kArena.index()], address, records.record_bytes);
    const ShadowByte first{contents_.number({.image = image_with(params->constants)}),
                           static_cast<uint32_t>(record * records.record_bytes)};
    spend(kWorkOfRun + static_cast<double>(records.record_bytes));
    const int64_t other =
        laid_out_[kArena.index()].first_other(address, first, records.record_bytes);
    if (other < 0) return;
    throw Fault{fmt::format("{} needs record {} of its constants at byte {}, which holds {}",
                            describe(graph_, call), record, other,
                            describe_byte(laid_out_[kArena.index()].at(other)))};
  }

  bool has_these_records(const Call& call, const ProgramParams& params) const {
    std::vector<PackedSize> sizes;
    for (const BufferId id : params.constants) {
      const PackedConstant& content = program_.constant(id)->content;
      sizes.push_back({std::ssize(content.data), content.part_channels});
    }
    return record_layout(sizes, params.records->channels,
                         packed_channels(graph_, graph_.op(call.op))) == params.records;
  }

  BufferId image_with(const std::vector<BufferId>& constants) const {
    for (const PlacedBuffer& buffer : program_.buffers) {
      if (buffer.packed >= 0 && program_.memory(buffer.memory).storage &&
          program_.params[static_cast<size_t>(buffer.packed)].constants == constants)
        return buffer.id;
    }
    throw Fault{"constants are brought from no image"};
  }

  void execute(const Call& call, const Walk& walk, const std::vector<Side>& in, const Side& out,
               const Region& region, const Interval& chunk) {
    const std::optional<Progress> grain = overlap_grain(call, walk, in, out, region);
    const bool reads_first = !grain || *grain == Progress::kElement || *grain == Progress::kPlane;
    const auto part = [&](const Region& unit) {
      destroy_scratch(call);
      if (!reads_first) write(call, walk, out, unit, chunk);
      const std::vector<Region> later = units_behind(unit, region);
      for (size_t k = 0; k < in.size(); ++k) {
        for (const Region& box : read_last(call, walk, k, unit, later, chunk))
          read(call, walk, in[k], box);
      }
      if (reads_first) write(call, walk, out, unit, chunk);
      destroy_scratch(call);  // the kernel uses it until it ends
    };
    if (grain) {
      each_unit(*grain, region, part);
    } else {
      part(region);
    }
  }

  int64_t reduced_extent(const Call& call) const {
    const Op& op = graph_.op(call.op);
    return graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)];
  }

  // Rows that are pushed come up to the end that the interval of their tick has, wherever it
  // begins: it begins where the one before ended, also if there are none.
  void check_next_row(const Call& call, const Region& region) {
    const Shape& shape = graph_.tensor(call.out.tensor).shape;
    const int64_t row_elements = elements(shape) / shape[size_t{kStreamAxis}];
    const int64_t next = passed_[call.in[0].buffer] / row_elements;
    const int64_t begin = region[stream_axis(shape)].begin;
    if (begin == next) return;
    throw Fault{fmt::format("{} receives rows from {} on, but {} is next", describe(graph_, call),
                            begin, next)};
  }

  // Where sums have less than 32 bits, their value depends on where one chunk ends.
  void check_chunk(const Call& call, const Interval& chunk) const {
    const Accumulator* narrow = find_accumulator(graph_, call.out.tensor);
    if (narrow == nullptr) return;
    const int64_t end = std::min<int64_t>(chunk.begin + narrow->chunk, reduced_extent(call));
    if (chunk.begin % narrow->chunk == 0 && chunk.end == end) return;
    throw Fault{fmt::format("{} adds channels {} to {} in one go, which is no chunk of {}",
                            describe(graph_, call), chunk.begin, chunk.end - 1, narrow->chunk)};
  }

  // Where the output overlaps an operand: the grain that the kernel promises. Nothing where all
  // reads may as well come before all writes.
  std::optional<Progress> overlap_grain(const Call& call, const Walk& walk,
                                        const std::vector<Side>& in, const Side& out,
                                        const Region& region) const {
    const Progress progress = info(call.kernel).progress;
    if (progress == Progress::kWhole) return std::nullopt;
    const Interval target = hull_of(out, region);
    bool overlap = false, behind = progress == Progress::kElement;
    for (size_t k = 0; k < in.size(); ++k) {
      if (in[k].memory != out.memory) continue;
      const Region box = needed_box(graph_, maps_, call, walk, k, region, {0, 1 << 30});
      const Interval source = hull_of(in[k], box);
      if (source.begin >= target.end || target.begin >= source.end) continue;
      overlap = true;
      behind = behind && never_ahead(out, in[k]);
    }
    return overlap && !behind ? std::optional(progress) : std::nullopt;
  }

  // Calls visit(address, first element, elements) for neighbours in memory that are neighbours in
  // their tensor, all of them inside.
  template <class Visit>
  void each_piece(const Call& call, const Walk& walk, const Side& side, const Region& box,
                  const char* verb, const Visit& visit) {
    const Shape& shape = graph_.tensor(side.view->tensor).shape;
    const int64_t size = side.element_bytes();
    each_run(walk, *side.walk, shape, side.numbers, box, [&](const Run& run) {
      const bool even = run.memory_step == 1 && run.element_step == 1;
      spend((even ? kWorkOfRun : kWorkOfRun * static_cast<double>(run.count)) +
            static_cast<double>(run.count * size));
      const std::optional<int64_t> first = address_of(side, run);
      if (!first)
        throw Fault{fmt::format("{}: {} before the start of a ring", describe(graph_, call), verb)};
      check_inside(call, side, *first, verb);
      check_inside(call, side, *first + (run.count - 1) * run.memory_step * size, verb);
      if (even) {
        visit(*first, run.element, run.count);
        return;
      }
      for (int64_t k = 0; k < run.count; ++k)
        visit(*first + k * run.memory_step * size, run.element + k * run.element_step, 1);
    });
  }

  void check_inside(const Call& call, const Side& side, int64_t address, const char* verb) const {
    const OperandView& view = *side.view;
    const int64_t size = side.element_bytes();
    const int64_t bytes = program_.buffer(view.buffer).size_bytes;
    const bool inside = address >= side.address && address + size <= side.address + bytes;
    if (inside && (side.memory == nullptr || side.memory->inside(address, size))) return;
    throw Fault{fmt::format("{}: {} byte {} for {}, outside {}", describe(graph_, call), verb,
                            address, describe(graph_, view.tensor),
                            inside                   ? "the " + memory_name(view.buffer)
                            : side.memory == nullptr ? "its constant"
                                                     : "its buffer")};
  }

  // What a unit of the output reads and none of the later ones: a call that overwrites an element
  // of its operand never brings it back, so that whoever reads it last sees what became of it.
  std::vector<Region> read_last(const Call& call, const Walk& walk, size_t k, const Region& unit,
                                const std::vector<Region>& later, const Interval& chunk) const {
    const auto needed = [&](const Region& of) {
      return needed_box(graph_, maps_, call, walk, k, of, chunk);
    };
    const Region box = needed(unit);
    if (!call.op.valid() || elements(box) <= elements(unit)) return {box};
    std::vector<Region> others;
    for (const Region& other : later) others.push_back(needed(other));
    return without(box, others);
  }

  void read(const Call& call, const Walk& walk, const Side& side, const Region& box) {
    const uint32_t content = contents_.number(side.content);
    const int64_t size = side.element_bytes();
    const auto check = [&](int64_t address, int64_t element, int64_t count) {
      result_.checked_elements += count;
      if (side.memory == nullptr) {
        if (address - side.address != element * size)
          throw Fault{describe(graph_, call) + ": reads the wrong constant"};
        return;
      }
      flights_.check_read(side.memory, address, count * size);
      const ShadowByte first{content, static_cast<uint32_t>(element * size)};
      const int64_t other = side.memory->first_other(address, first, count * size);
      if (other >= 0) {
        const auto off = static_cast<uint32_t>(other - address);
        throw Fault{fmt::format("{} needs {} at byte {}, which holds {}", describe(graph_, call),
                                describe_byte({content, first.byte + off}), other,
                                describe_byte(side.memory->at(other)))};
      }
      if (program_.memory_of(side.view->buffer) == kStream)
        pass(call, side, element, count, "receives");
    };
    each_piece(call, walk, side, box, "reads", check);
  }

  // Rows come from the caller and go there in order, each once.
  void pass(const Call& call, const Side& side, int64_t element, int64_t count, const char* verb) {
    int64_t& next = passed_[side.view->buffer];
    if (element != next) {
      throw Fault{fmt::format("{} {} element {} of {}, but {} is next", describe(graph_, call),
                              verb, element, describe(graph_, side.view->tensor), next)};
    }
    next += count;
  }

  void write(const Call& call, const Walk& walk, const Side& side, const Region& region,
             const Interval& chunk) {
    const uint32_t content = contents_.number(side.content);
    const int64_t size = side.element_bytes();
    const bool adds = side.content.sums && chunk.begin != 0;
    Content before = side.content;
    before.reduced = chunk.begin;
    const uint32_t added_to = adds ? contents_.number(before) : 0;
    const auto put = [&](int64_t address, int64_t element, int64_t count) {
      const auto byte = static_cast<uint32_t>(element * size);
      flights_.check_written(side.memory, address, count * size);
      if (adds) {
        const int64_t other = side.memory->first_other(address, {added_to, byte}, count * size);
        if (other >= 0) {
          throw Fault{fmt::format("{} adds a chunk from {} on at byte {}, which holds {}",
                                  describe(graph_, call), chunk.begin, other,
                                  describe_byte(side.memory->at(other)))};
        }
      } else if (call.op.valid()) {
        count_production(call, side, element, count);
      }
      side.memory->write(address, {content, byte}, count * size);
      if (program_.memory_of(side.view->buffer) == kStream)
        pass(call, side, element, count, "delivers");
    };
    each_piece(call, walk, side, region, "writes", put);
  }

  void count_production(const Call& call, const Side& side, int64_t element, int64_t count) {
    const size_t kind =
        2 * side.content.tensor.index() + static_cast<size_t>(side.content.sums ? 1 : 0);
    std::vector<Produced>& all = produced_[kind];
    const int64_t of_tensor = elements(graph_.tensor(side.view->tensor).shape);
    if (all.empty()) all.resize(static_cast<size_t>(of_tensor), Produced::kNot);
    for (int64_t k = element; k < element + count; ++k) {
      Produced& produced = all[static_cast<size_t>(k)];
      if (produced != Produced::kNot) {
        ++result_.recomputed_elements;
        if (produced == Produced::kForGood || !call.recomputes) {
          throw Fault{fmt::format("{} produces element {} of {} a second time",
                                  describe(graph_, call), k, describe(graph_, side.view->tensor))};
        }
      }
      produced = call.recomputes ? Produced::kForNow : Produced::kForGood;
    }
  }

  void destroy_scratch(const Call& call) {
    if (!call.scratch.valid()) return;
    const PlacedBuffer& scratch = program_.buffer(call.scratch);
    spend(static_cast<double>(scratch.size_bytes));
    flights_.check_written(shadow_of(call.scratch), scratch.address, scratch.size_bytes);
    shadow_of(call.scratch)->destroy(scratch.address, scratch.size_bytes);
  }

  const Graph& graph_;
  const Program& program_;
  std::vector<AccessMap> maps_;
  CallForms forms_;
  Contents contents_;
  std::vector<ShadowMemory> laid_out_;        // by memory; of the others, empty
  std::map<BufferId, ShadowMemory> callers_;  // and streams; per port
  Flights flights_{program_, contents_, laid_out_};
  std::map<BufferId, int64_t> passed_;  // elements of streams received or delivered
  // kForNow: by a step that recomputes.
  enum class Produced : uint8_t { kNot, kForNow, kForGood };
  std::vector<std::vector<Produced>> produced_;  // per tensor: values, then sums; per element
  double work_ = 0, most_work_;
  Verification result_;
};

}  // namespace

Verification verify(const Graph& graph, const Program& program) {
  return Verifier(graph, program).run();
}

}  // namespace thimble
