// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/host.h"

#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "thimble/model/error.h"
#include "thimble/program/arguments.h"
#include "thimble/program/run_transfers.h"

namespace thimble {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr int kPoison = 0xA5;

struct Free {
  void operator()(uint8_t* bytes) const { ::operator delete[](bytes, kAlignment); }
};

// Exactly the memory, so that a sanitizer sees every access beyond it.
std::unique_ptr<uint8_t[], Free> poisoned(int64_t bytes) {
  auto* arena = static_cast<uint8_t*>(::operator new[](static_cast<size_t>(bytes), kAlignment));
  std::memset(arena, kPoison, static_cast<size_t>(bytes));
  return std::unique_ptr<uint8_t[], Free>(arena);
}

bool is_addressed(const ProgramMemory& memory) {
  return memory.kind != MemoryKind::kMappedFlash && !memory.storage;
}

class Host {
 public:
  explicit Host(const Program& program)
      : program_(program), transfers_(program, [this](BufferId id) { return address(id); }) {
    for (const ProgramMemory& memory : program.memories)
      laid_out_.push_back(poisoned(is_addressed(memory) ? memory.size_bytes : 0));
    for (const ProgramParams& p : program.params) {
      std::vector<const void*> pointers;
      for (const BufferId constant : p.constants)
        pointers.push_back(p.records ? nullptr : address(constant));
      params_.push_back(thimble::bind(p.params, pointers));
    }
  }

  Host(const Host&) = delete;

  void reset() {
    for (const ProgramState& state : program_.states)
      std::memcpy(address(state.before.buffer), state.initial->data(), state.initial->size());
  }

  /// What another owner of the memory may do between inferences.
  void poison_all_but_states() {
    std::vector<Bytes> kept;
    for (const ProgramState& state : program_.states) {
      const uint8_t* bytes = address(state.after.buffer);
      kept.emplace_back(bytes, bytes + state.after.size_bytes);
    }
    for (size_t m = 0; m < laid_out_.size(); ++m) {
      if (!is_addressed(program_.memories[m])) continue;
      std::memset(laid_out_[m].get(), kPoison,
                  static_cast<size_t>(program_.memories[m].size_bytes));
    }
    for (size_t k = 0; k < kept.size(); ++k)
      std::memcpy(address(program_.states[k].before.buffer), kept[k].data(), kept[k].size());
  }

  [[nodiscard]] MovedBytes moved() const { return transfers_.moved(); }

  std::vector<Bytes> run(const std::vector<Bytes>& inputs) {
    check(inputs.size() == program_.inputs.size(), "execute: wrong number of inputs");
    for (size_t k = 0; k < inputs.size(); ++k) {
      const ProgramPort& port = program_.inputs[k];
      check(static_cast<int64_t>(inputs[k].size()) == port.size_bytes,
            "execute: wrong size of input");
      std::memcpy(address(port.buffer), to_memory(program_, port, inputs[k]).data(),
                  inputs[k].size());
    }
    transfers_.begin_inference();
    thimble::execute(
        program_, [&](const Call& call, const Counters& counters) { visit(call, counters); },
        [&](const TransferCall& transfer, const Counters& counters) {
          transfers_.execute(transfer, counters);
        });
    check(transfers_.ok(), "a transfer of a verified program failed");
    std::vector<Bytes> outputs;
    for (const ProgramPort& port : program_.outputs) {
      const uint8_t* bytes = address(port.buffer);
      outputs.push_back(from_memory(program_, port, Bytes(bytes, bytes + port.size_bytes)));
    }
    return outputs;
  }

 private:
  uint8_t* address(BufferId id) {
    const PlacedBuffer& buffer = program_.buffer(id);
    // Kernels take views of writable memory; they write only to their outputs.
    if (const ProgramConstant* constant = program_.constant(id); constant != nullptr)
      return const_cast<uint8_t*>(constant->content.data.data());
    if (is_laid_out(buffer.memory)) return laid_out_[buffer.memory.index()].get() + buffer.address;
    const auto [it, added] = callers_.try_emplace(id);  // exactly its bytes, too
    if (added) it->second = poisoned(buffer.size_bytes);
    return it->second.get();
  }

  // As the device does it: kernels are called with empty regions, too.
  void visit(const Call& call, const Counters& counters) {
    if (copies_onto_itself(program_, call)) return;
    const Arguments given = arguments(call, counters);
    Invocation invocation{.kernel = call.kernel,
                          .params = nullptr,
                          .in = given.in,
                          .out = given.out,
                          .region = given.region,
                          .chunk_begin = given.chunk_begin,
                          .chunk_end = given.chunk_end};
    KernelParams brought;
    if (call.brought.valid()) {
      brought = thimble::bind(params_[static_cast<size_t>(call.params)],
                              brought_pointers(call, counters));
      invocation.params = &brought;
    } else if (call.params >= 0) {
      invocation.params = &params_[static_cast<size_t>(call.params)];
    }
    for (size_t k = 0; k < call.in.size(); ++k) invocation.in[k].data = address(call.in[k].buffer);
    invocation.out.data = address(call.out.buffer);
    if (call.scratch.valid()) invocation.scratch = reinterpret_cast<int8_t*>(address(call.scratch));
    invoke(invocation);
  }

  // To where channel 0 would be: before the memory, maybe, and so made of numbers.
  std::vector<const void*> brought_pointers(const Call& call, const Counters& counters) const {
    const auto arena = reinterpret_cast<uintptr_t>(laid_out_[kArena.index()].get());
    std::vector<const void*> pointers;
    const size_t count = program_.params[static_cast<size_t>(call.params)].constants.size();
    for (size_t k = 0; k < count; ++k)
      pointers.push_back(reinterpret_cast<const void*>(
          arena + static_cast<uintptr_t>(brought_address(program_, call, k, counters))));
    return pointers;
  }

  const Program& program_;
  RunTransfers transfers_;
  std::vector<std::unique_ptr<uint8_t[], Free>> laid_out_;  // by memory
  std::map<BufferId, std::unique_ptr<uint8_t[], Free>> callers_;
  std::vector<KernelParams> params_;
};

}  // namespace

std::vector<Bytes> execute(const Program& program, const std::vector<Bytes>& inputs) {
  return execute_in_turn(program, {inputs})[0];
}

std::vector<std::vector<Bytes>> execute_in_turn(const Program& program,
                                                const std::vector<std::vector<Bytes>>& inputs,
                                                MovedBytes* moved) {
  Host host(program);
  host.reset();
  std::vector<std::vector<Bytes>> outputs;
  for (const std::vector<Bytes>& given : inputs) {
    if (!outputs.empty()) host.poison_all_but_states();
    outputs.push_back(host.run(given));
  }
  if (moved != nullptr) {
    moved->written += host.moved().written;
    moved->read += host.moved().read;
  }
  return outputs;
}

}  // namespace thimble
