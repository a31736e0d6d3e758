// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/host.h"

#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Free {
  void operator()(uint8_t* bytes) const { ::operator delete[](bytes, kAlignment); }
};

// Exactly the arena, so that a sanitizer sees every access beyond it.
std::unique_ptr<uint8_t[], Free> poisoned(int64_t bytes) {
  auto* arena = static_cast<uint8_t*>(::operator new[](static_cast<size_t>(bytes), kAlignment));
  std::memset(arena, 0xA5, static_cast<size_t>(bytes));
  return std::unique_ptr<uint8_t[], Free>(arena);
}

class Host {
 public:
  explicit Host(const Program& program) : program_(program), arena_(poisoned(program.arena_bytes)) {
    for (const ProgramParams& p : program.params) {
      std::vector<const void*> pointers;
      for (int constant : p.constants) pointers.push_back(data(constant));
      params_.push_back(thimble::bind(p.params, pointers));
    }
  }

  std::vector<Bytes> run(const std::vector<Bytes>& inputs) {
    check(inputs.size() == program_.inputs.size(), "execute: wrong number of inputs");
    for (size_t k = 0; k < inputs.size(); ++k) {
      const ProgramPort& port = program_.inputs[k];
      check(static_cast<int64_t>(inputs[k].size()) == port.size_bytes,
            "execute: wrong size of input");
      std::memcpy(memory(port.place, port.buffer) + port.address,
                  to_memory(program_, port, inputs[k]).data(), inputs[k].size());
    }
    execute_calls(program_,
                  [&](const Call& call, const Counters& counters) { visit(call, counters); });
    std::vector<Bytes> outputs;
    for (const ProgramPort& port : program_.outputs) {
      const uint8_t* bytes = memory(port.place, port.buffer) + port.address;
      outputs.push_back(from_memory(program_, port, Bytes(bytes, bytes + port.size_bytes)));
    }
    return outputs;
  }

 private:
  // Of a port that lies outside of the arena: exactly its bytes, too.
  uint8_t* memory(Place place, BufferId buffer) {
    if (place == Place::kResident) return arena_.get();
    const auto [it, added] = outside_.try_emplace(buffer);
    if (added) it->second = poisoned(program_.buffers[buffer.index()].size_bytes);
    return it->second.get();
  }

  uint8_t* data(int constant) const {
    // Kernels take views of writable memory; they write only to their outputs.
    return const_cast<uint8_t*>(
        program_.constants[static_cast<size_t>(constant)].content.data.data());
  }

  runtime::View view(const OperandView& v, const Counters& counters) {
    uint8_t* base = v.constant >= 0 ? data(v.constant) : memory(v.place, v.buffer);
    runtime::View result{base + v.address,
                         static_cast<int32_t>(sum(v.bias, counters)),
                         static_cast<int32_t>(v.modulus),
                         static_cast<int32_t>(sum(v.channel, counters)),
                         {}};
    for (size_t axis = 0; axis < 4; ++axis)
      result.stride[axis] = static_cast<int32_t>(v.stride[axis]);
    return result;
  }

  void visit(const Call& call, const Counters& counters) {
    const Region region = kernel_region(call, counters);
    if (empty(region) || copies_onto_itself(call)) return;
    Invocation invocation{
        .kernel = call.kernel, .params = nullptr, .in = {}, .out = {}, .region = {}};
    if (call.params >= 0) invocation.params = &params_[static_cast<size_t>(call.params)];
    for (const OperandView& v : call.in) invocation.in.push_back(view(v, counters));
    invocation.out = view(call.out, counters);
    for (size_t axis = 0; axis < 4; ++axis) {
      invocation.region.begin[axis] = static_cast<int32_t>(region[axis].begin);
      invocation.region.end[axis] = static_cast<int32_t>(region[axis].end);
    }
    const Interval chunk = chunk_of(call, counters);
    if (call.chunk && chunk.empty()) return;
    invocation.chunk_begin = static_cast<int32_t>(chunk.begin);
    invocation.chunk_end = static_cast<int32_t>(chunk.end);
    if (call.scratch_address >= 0) {
      invocation.scratch = reinterpret_cast<int8_t*>(arena_.get() + call.scratch_address);
    }
    invoke(invocation);
  }

  const Program& program_;
  std::unique_ptr<uint8_t[], Free> arena_;
  std::map<BufferId, std::unique_ptr<uint8_t[], Free>> outside_;
  std::vector<KernelParams> params_;
};

}  // namespace

std::vector<Bytes> execute(const Program& program, const std::vector<Bytes>& inputs) {
  return Host(program).run(inputs);
}

}  // namespace thimble
