// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/trace.h"

#include <fmt/format.h>

#include <deque>
#include <map>

#include "thimble/model/error.h"
#include "thimble/program/arguments.h"
#include "thimble/program/run_transfers.h"
#include "thimble/program/trace_text.h"

namespace thimble {
namespace {

class Tracer {
 public:
  Tracer(const Graph& graph, const Program& program,
         const std::function<void(const std::string&)>& line)
      : graph_(graph),
        program_(program),
        line_(line),
        transfers_(
            program,
            [this](BufferId id) { return bytes_of(program_.memory_of(id)) + program_.address(id); },
            line, [this](const void* pointer) { return place_of(pointer); }) {
    bytes_.resize(program.memories.size());
    for (const ProgramConstant& c : program.constants)
      constants_.push_back(trace_constant(c.name, c.content.data.data(), c.content.data.size()));
    for (const ProgramParams& p : program.params) {
      std::vector<const void*> pointers;
      for (const BufferId id : p.constants) pointers.push_back(&constant(id));
      params_.push_back(thimble::bind(p.params, pointers));
    }
  }

  void begin_inference() { transfers_.begin_inference(); }

  void visit(const TransferCall& transfer, const Counters& counters) {
    transfers_.execute(transfer, counters);
  }

  void visit(const Call& call, const Counters& counters) {
    if (copies_onto_itself(program_, call)) return;
    const Arguments given = arguments(call, counters);
    if (receives(program_, call)) {
      rows("receive", call, call.out, given.out, given.region);
    } else if (delivers(program_, call)) {
      rows("deliver", call, call.in[0], given.in[0], given.region);
    } else {
      kernel(call, counters, given);
    }
  }

 private:
  // Where transfers find what no kernel has written: zeros, as recorders of emitted code have them.
  uint8_t* bytes_of(MemoryId memory) {
    std::vector<uint8_t>& bytes = bytes_[memory.index()];
    bytes.resize(static_cast<size_t>(program_.memory(memory).size_bytes));
    return bytes.data();
  }

  std::string place_of(const void* pointer) const {
    const auto* at = static_cast<const uint8_t*>(pointer);
    for (size_t m = 0; m < bytes_.size(); ++m) {
      if (at >= bytes_[m].data() && at < bytes_[m].data() + bytes_[m].size())
        return fmt::format("{}+{}", program_.memories[m].name, at - bytes_[m].data());
    }
    return "elsewhere";  // the label of an image, which is compared
  }

  const std::string& constant(BufferId id) const {
    return constants_[static_cast<size_t>(program_.buffer(id).constant)];
  }

  std::string place(BufferId id, int64_t offset = 0) const {
    if (program_.constant(id) != nullptr) return constant(id) + "+0";
    return fmt::format("{}+{}", trace_memory(program_, id), program_.address(id) + offset);
  }

  void kernel(const Call& call, const Counters& counters, const Arguments& given) {
    std::string text = info(call.kernel).name;
    if (call.params >= 0)
      text += fmt::format(" params {}", call.brought.valid() ? brought_number(call, counters)
                                                             : params_number(call.params));
    for (size_t k = 0; k < call.in.size(); ++k)
      text += trace_view(place(call.in[k].buffer), given.in[k]);
    text += trace_view(place(call.out.buffer), given.out) + trace_region(given.region);
    if (call.chunk) text += trace_chunk(given.chunk_begin, given.chunk_end);
    if (call.scratch.valid()) text += " | scratch " + place(call.scratch);
    line_(text);
  }

  // In the order in which they are used first; what is the same has one number.
  size_t params_number(int params) {
    if (const auto known = known_.find(params); known != known_.end()) return known->second;
    const size_t number = number_of(params_[static_cast<size_t>(params)]);
    known_[params] = number;
    return number;
  }

  size_t brought_number(const Call& call, const Counters& counters) {
    std::deque<std::string> places;
    std::vector<const void*> pointers;
    const ProgramParams& params = program_.params[static_cast<size_t>(call.params)];
    for (size_t k = 0; k < params.constants.size(); ++k)
      pointers.push_back(&places.emplace_back(
          trace_place(program_.arena().name, brought_address(program_, call, k, counters))));
    return number_of(thimble::bind(params.params, pointers));
  }

  // params: pointers to names.
  size_t number_of(const KernelParams& params) {
    std::string text;
    const auto name = [](const void* constant) {
      return *static_cast<const std::string*>(constant);
    };
    std::visit(
        [&](const auto& p) {
          if constexpr (!std::is_same_v<decltype(p), const std::monostate&>)
            text += trace_params(p, name);
        },
        params);
    const auto [it, added] = numbers_.try_emplace(text, numbers_.size());
    if (added) line_(fmt::format("params {} ={}", it->second, text));
    return it->second;
  }

  void rows(const char* verb, const Call& call, const OperandView& held, const runtime::View& view,
            const runtime::Region& region) {
    const Shape& shape = graph_.tensor(held.tensor).shape;
    const size_t axis = stream_axis(shape);
    const int64_t size = size_bytes(held.type);
    const int64_t row_bytes = elements(shape) / shape[size_t{kStreamAxis}] * size;
    check(call.in.size() == 1, "rows come from one buffer and go to one");
    for (int32_t row = region.begin[axis]; row < region.end[axis]; ++row) {
      int64_t index = int64_t{row} * view.stride[axis] - view.bias;
      if (view.modulus != 0) index = index % view.modulus - view.channel;
      line_(trace_row(verb, row, place(held.buffer, index * size), row_bytes));
    }
  }

  const Graph& graph_;
  const Program& program_;
  const std::function<void(const std::string&)>& line_;
  std::vector<std::string> constants_;     ///< by index: name and hash
  std::vector<KernelParams> params_;       ///< pointers to elements of constants_
  std::map<std::string, size_t> numbers_;  ///< of params, by their text
  std::map<int, size_t> known_;
  std::vector<std::vector<uint8_t>> bytes_;  ///< by memory
  RunTransfers transfers_;
};

}  // namespace

void trace(const Graph& graph, const Program& program,
           const std::function<void(const std::string&)>& line) {
  Tracer tracer(graph, program, line);
  tracer.begin_inference();
  execute(
      program, [&](const Call& call, const Counters& counters) { tracer.visit(call, counters); },
      [&](const TransferCall& transfer, const Counters& counters) {
        tracer.visit(transfer, counters);
      });
}

std::string trace_memory(const Program& program, BufferId buffer) {
  const auto named = [&](const char* what, const std::vector<ProgramPort>& ports) -> std::string {
    for (size_t k = 0; k < ports.size(); ++k) {
      if (ports[k].buffer == buffer)
        return ports.size() == 1 ? what : fmt::format("{}_{}", what, k);
    }
    return "";
  };
  const MemoryId memory = program.memory_of(buffer);
  if (is_laid_out(memory)) return program.memory(memory).name;
  const std::string input = named("input", program.inputs);
  return input.empty() ? named("output", program.outputs) : input;
}

}  // namespace thimble
