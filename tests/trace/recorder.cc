// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace thimble {
namespace {

std::vector<TracedMemory> all_memories;
std::vector<std::string> names;  // with the content of constants
long awaited_row = -1;

// Null: none.
const TracedMemory* find_memory(const void* pointer, size_t& number) {
  const char* p = static_cast<const char*>(pointer);
  for (number = 0; number < all_memories.size(); ++number) {
    const TracedMemory& m = all_memories[number];
    const char* begin = static_cast<const char*>(m.begin);
    if (p >= begin && p < begin + m.bytes) return &m;
  }
  return nullptr;
}

const TracedMemory& memory_of(const void* pointer, size_t& number) {
  if (const TracedMemory* found = find_memory(pointer, number)) return *found;
  std::fputs("a pointer into none of the memories\n", stderr);
  std::exit(1);
}

// The row's bytes, which are zero again afterwards.
void write_awaited_row() {
  if (awaited_row < 0) return;
  char* const arena = static_cast<char*>(const_cast<void*>(all_memories[0].begin));
  size_t first = 0, end = all_memories[0].bytes;
  while (first < end && arena[first] == 0) ++first;
  if (first == end) return;
  while (end > first && arena[end - 1] == 0) --end;
  const long row = awaited_row;
  awaited_row = -1;
  std::memset(arena + first, 0, end - first);
  write_line(
      trace_row("receive", row, "arena+" + std::to_string(first), static_cast<long>(end - first)));
}

}  // namespace

void set_memories(const TracedMemory* memories, size_t count) {
  all_memories.assign(memories, memories + count);
  for (const TracedMemory& m : all_memories)
    names.push_back(m.constant ? trace_constant(m.name, m.begin, m.bytes) : m.name);
}

std::string place_of(const void* pointer) {
  size_t number = 0;
  const TracedMemory& memory = memory_of(pointer, number);
  const auto offset = static_cast<const char*>(pointer) - static_cast<const char*>(memory.begin);
  return names[number] + "+" + std::to_string(offset);
}

std::string place_of_transfer(const void* pointer) {
  size_t number = 0;
  return find_memory(pointer, number) == nullptr ? "elsewhere" : place_of(pointer);
}

// What was brought to the arena is told by where channel 0 would be: maybe before it.
std::string constant_of(const void* pointer) {
  size_t number = 0;
  const TracedMemory* memory = find_memory(pointer, number);
  if (memory != nullptr && memory->constant)
    return memory->begin == pointer ? names[number] : place_of(pointer);
  const auto begin = reinterpret_cast<uintptr_t>(all_memories[0].begin);
  return trace_place(all_memories[0].name,
                     static_cast<intptr_t>(reinterpret_cast<uintptr_t>(pointer) - begin));
}

void write_line(const std::string& line) {
  write_awaited_row();
  std::puts(line.c_str());
}

void expect_row(long row) { awaited_row = row; }
void pushed() { write_awaited_row(); }

size_t params_number(const std::string& text, bool& added) {
  static std::map<std::string, size_t> numbers;
  const auto result = numbers.emplace(text, numbers.size());
  added = result.second;
  return result.first->second;
}

std::string traced_views(std::initializer_list<const runtime::View*> views) {
  std::string text;
  for (const runtime::View* v : views) text += trace_view(place_of(v->data), *v);
  return text;
}

}  // namespace thimble
