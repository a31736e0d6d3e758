// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/host.h"

#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "thimble/model/error.h"
#include "thimble/program/arguments.h"

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
      std::memcpy(memory(port.place, port.buffer) + program_.address(port.buffer),
                  to_memory(program_, port, inputs[k]).data(), inputs[k].size());
    }
    execute_calls(program_,
                  [&](const Call& call, const Counters& counters) { visit(call, counters); });
    std::vector<Bytes> outputs;
    for (const ProgramPort& port : program_.outputs) {
      const uint8_t* bytes = memory(port.place, port.buffer) + program_.address(port.buffer);
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

  uint8_t* address(const OperandView& v) {
    return v.constant >= 0 ? data(v.constant)
                           : memory(v.place, v.buffer) + program_.address(v.buffer);
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
    if (call.params >= 0) invocation.params = &params_[static_cast<size_t>(call.params)];
    for (size_t k = 0; k < call.in.size(); ++k) invocation.in[k].data = address(call.in[k]);
    invocation.out.data = address(call.out);
    if (call.scratch.valid()) {
      uint8_t* const scratch = arena_.get() + program_.address(call.scratch);
      invocation.scratch = reinterpret_cast<int8_t*>(scratch);
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
