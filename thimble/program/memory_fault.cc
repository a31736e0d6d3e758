// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/memory_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "thimble/schedule/records.h"

namespace thimble {
namespace {

std::string buffer_fault(const Program& program, const PlacedBuffer& buffer) {
  if (!buffer.memory.valid() || buffer.memory.index() >= program.memories.size())
    return "lies in a memory that does not exist";
  const bool in_flash = buffer.memory == kFlash;
  const bool in_image = buffer.constant >= 0 && program.memory(buffer.memory).storage.has_value();
  if ((in_flash || in_image) != (buffer.constant >= 0)) return "is no packed constant in flash";
  if (!is_laid_out(buffer.memory) && !in_flash) return "";
  const ProgramMemory& memory = program.memory(buffer.memory);
  if (buffer.address < 0 || buffer.size_bytes < 0 ||
      buffer.address > memory.size_bytes - buffer.size_bytes)
    return fmt::format("lies outside the {}", memory.name);
  if (buffer.packed >= std::ssize(program.params) ||
      (buffer.packed >= 0 &&
       !program.params[static_cast<size_t>(buffer.packed)].records.has_value()))
    return "holds constants that are not brought";
  if (!in_flash && !in_image) return "";
  const auto number = static_cast<size_t>(buffer.constant);
  if (number >= program.constants.size()) return "is a constant that does not exist";
  const ProgramConstant& constant = program.constants[number];
  const bool same = constant.buffer == buffer.id && constant.content.type == buffer.type &&
                    static_cast<int64_t>(constant.content.data.size()) == buffer.size_bytes;
  return same ? "" : "has not the size of its constant";
}

// Nobody writes there, so no shadow would find that two are at one address.
std::string flash_fault(const Program& program) {
  std::vector<const PlacedBuffer*> in_flash;
  for (const PlacedBuffer& buffer : program.buffers) {
    if (buffer.memory == kFlash && buffer.size_bytes > 0) in_flash.push_back(&buffer);
  }
  std::ranges::sort(in_flash, {}, &PlacedBuffer::address);
  for (size_t k = 1; k < in_flash.size(); ++k) {
    if (in_flash[k - 1]->address + in_flash[k - 1]->size_bytes > in_flash[k]->address)
      return fmt::format("buffer {} overlaps another one in flash", in_flash[k]->id.value);
  }
  return "";
}

// An image has the records of its constants, each buffer of them apart, and a label.
std::string image_fault(const Program& program) {
  for (size_t m = 0; m < program.memories.size(); ++m) {
    int64_t end = 0;
    for (const BufferId id : image_of(program, {static_cast<int32_t>(m)})) {
      const PlacedBuffer& buffer = program.buffer(id);
      const RecordLayout& records = *program.params[static_cast<size_t>(buffer.packed)].records;
      if (buffer.address < end || buffer.size_bytes != records.count * records.record_bytes)
        return fmt::format("buffer {} is no part of an image", id.value);
      end = buffer.address + buffer.size_bytes;
    }
    if (end > 0 && image_label_address(end) + kImageLabelBytes > program.memories[m].size_bytes)
      return fmt::format("{} has no room for the label of its image", program.memories[m].name);
  }
  return "";
}

// What is brought has its constants in an image; that the records are theirs, whoever reads them
// finds out.
std::string records_fault(const Program& program, const ProgramParams& params) {
  if (!params.records) return "";
  for (const BufferId id : params.constants) {
    const bool known = id.valid() && id.index() < program.buffers.size();
    const ProgramConstant* constant = known ? program.constant(id) : nullptr;
    if (constant == nullptr || is_in_flash(program, *constant)) return "are brought from nowhere";
  }
  return params.records->count > 0 && params.records->record_bytes > 0 ? "" : "are none";
}

// The emitted code calls them so.
std::string name_fault(const Program& program) {
  std::set<std::string_view> names;
  for (const ProgramConstant& constant : program.constants) {
    if (!names.insert(constant.name).second)
      return fmt::format("two constants are called {}", constant.name);
  }
  for (const ProgramParams& params : program.params) {
    if (!names.insert(params.name).second)
      return fmt::format("two parameters, or one and a constant, are called {}", params.name);
  }
  return "";
}

std::string port_fault(const Program& program, const ProgramPort& port) {
  if (!port.buffer.valid() || port.buffer.index() >= program.buffers.size())
    return "a port has no buffer";
  const ProgramMemory& memory = program.memory(program.memory_of(port.buffer));
  const bool reached =
      memory.kind != MemoryKind::kMappedFlash && memory.kind != MemoryKind::kBlockStorage;
  return reached ? "" : fmt::format("a port lies in {}, where no caller reaches it", memory.name);
}

// What is kept from one inference to the next must be found again.
std::string state_fault(const Program& program, const ProgramState& state) {
  for (const ProgramPort* port : {&state.before, &state.after}) {
    if (std::string fault = port_fault(program, *port); !fault.empty()) return fault;
  }
  const PlacedBuffer& before = program.buffer(state.before.buffer);
  const PlacedBuffer& after = program.buffer(state.after.buffer);
  const auto size = static_cast<int64_t>(state.initial == nullptr ? 0 : state.initial->size());
  if (!is_laid_out(before.memory) || before.memory != after.memory ||
      before.address != after.address)
    return fmt::format("the state in buffer {} is not where the next inference has it",
                       after.id.value);
  const bool same_size = before.size_bytes == size && after.size_bytes == size;
  return same_size ? "" : fmt::format("the state in buffer {} has another size", after.id.value);
}

}  // namespace

std::string memory_fault(const Program& program) {
  if (program.memories.size() < kFirstFurtherMemory.index()) return "it lacks memories";
  for (const ProgramMemory& memory : program.memories) {
    if (memory.capacity_bytes && memory.size_bytes > *memory.capacity_bytes)
      return fmt::format("{} has {} bytes, but {} are needed there", memory.name,
                         *memory.capacity_bytes, memory.size_bytes);
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const PlacedBuffer& buffer = program.buffers[b];
    if (buffer.id.index() != b) return fmt::format("buffer {} has another's number", b);
    if (const std::string fault = buffer_fault(program, buffer); !fault.empty())
      return fmt::format("buffer {} {}", b, fault);
  }
  for (const std::vector<ProgramPort>* ports : {&program.inputs, &program.outputs}) {
    for (const ProgramPort& port : *ports) {
      if (std::string fault = port_fault(program, port); !fault.empty()) return fault;
    }
  }
  for (const ProgramState& state : program.states) {
    if (std::string fault = state_fault(program, state); !fault.empty()) return fault;
  }
  for (const ProgramParams& params : program.params) {
    if (std::string fault = records_fault(program, params); !fault.empty())
      return fmt::format("the records of {} {}", params.name, fault);
  }
  if (std::string fault = image_fault(program); !fault.empty()) return fault;
  const std::string fault = flash_fault(program);
  return fault.empty() ? name_fault(program) : fault;
}

}  // namespace thimble
