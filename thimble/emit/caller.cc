// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/caller.h"

#include <fmt/format.h>

#include "thimble/emit/names.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

void add_tensors(const Program& program, const std::vector<ProgramPort>& ports, const char* what,
                 const char* constness, std::vector<CallerField>& fields) {
  for (size_t k = 0; k < ports.size(); ++k) {
    const PlacedBuffer& buffer = program.buffer(ports[k].buffer);
    if (buffer.memory != kCaller) continue;
    fields.push_back({fmt::format("{}{}*", constness, c_type(buffer.type)),
                      port_label(what, k, ports.size()), ports[k].buffer});
  }
}

const ProgramPort* streamed(const Program& program, const std::vector<ProgramPort>& ports) {
  for (const ProgramPort& port : ports) {
    if (program.memory_of(port.buffer) == kStream) return &port;
  }
  return nullptr;
}

}  // namespace

std::string CallerSide::arena_parameter(const char* suffix) const {
  return memories_type.empty() ? fmt::format("void* {}{}", arenas[0], suffix)
                               : fmt::format("const {}* memories", memories_type);
}

const char* CallerSide::arena_argument() const {
  return memories_type.empty() ? arenas[0].c_str() : "&memories";
}

std::string CallerSide::run_parameters(const char* suffix, const std::string& name) const {
  std::string text = arena_parameter(suffix);
  for (const std::string& storage : storages)
    text += fmt::format(", const thimble_storage* {}", storage);
  for (const CallerField& field : fields) {
    if (field.buffer.valid()) text += fmt::format(", {} {}", field.type, field.name);
  }
  if (received != nullptr) text += fmt::format(", {}_receive receive", name);
  if (delivered != nullptr) text += fmt::format(", {}_deliver deliver", name);
  return received != nullptr || delivered != nullptr ? text + ", void* context" : text;
}

std::string CallerSide::arguments() const {
  std::string text;
  for (const CallerField& field : fields) text += (text.empty() ? "" : ", ") + field.name;
  return text;
}

CallerSide caller_side(const Program& program, const std::string& name) {
  CallerSide side{.arenas = {},
                  .storages = {},
                  .images = {},
                  .memories_type = {},
                  .fields = {},
                  .received = streamed(program, program.inputs),
                  .delivered = streamed(program, program.outputs)};
  for (const MemoryId memory : arenas(program)) side.arenas.push_back(arena_name(program, memory));
  for (const MemoryId storage : storages(program))
    side.storages.push_back(program.memory(storage).name);
  for (const MemoryId storage : storages(program))
    if (!image_of(program, storage).empty()) side.images.push_back(program.memory(storage).name);
  if (side.arenas.size() > 1) side.memories_type = name + "_memories";
  add_tensors(program, program.inputs, "input", "const ", side.fields);
  add_tensors(program, program.outputs, "output", "", side.fields);
  if (side.delivered != nullptr) {
    side.fields.push_back({name + "_deliver", "deliver", {}});
    side.fields.push_back({"void*", "context", {}});
  }
  return side;
}

std::string port_label(const char* what, size_t number, size_t count) {
  return count == 1 ? std::string(what) : fmt::format("{}_{}", what, number);
}

std::string outside_name(const Program& program, BufferId buffer) {
  for (size_t k = 0; k < program.inputs.size(); ++k) {
    if (program.inputs[k].buffer == buffer) return port_label("input", k, program.inputs.size());
  }
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    if (program.outputs[k].buffer == buffer) return port_label("output", k, program.outputs.size());
  }
  throw InternalError("a buffer outside of the arena that is no port");
}

StreamRows stream_rows(const Graph& graph, const ProgramPort& port) {
  const Shape& shape = graph.tensor(port.tensor).shape;
  const int64_t rows = shape[size_t{kStreamAxis}];
  return {rows, elements(shape) / rows};
}

}  // namespace thimble
