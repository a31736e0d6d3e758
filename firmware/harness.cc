// SPDX-License-Identifier: Apache-2.0
// Runs every model of the table on every input set of a file, each in an arena of exactly its bytes
// between guards, and reports instructions, peak stack and the guards:
//
//   result model=0x0 set=0x0 instructions=0x1f4 stack=0x28 outputs=0x1 guards=intact inputs=intact
//   name=person_detect
//
// Tensors that lie outside of the arena have guards of their own, and inputs among them must be as
// they were when the run ends.
// Command line: NAME INPUT_FILE OUTPUT_FILE SETS GOES_ON. Digit k of GOES_ON is 1 where set k finds
// the arena as set k - 1 left it; before all others what the model keeps is reset. The last digit
// holds for all sets behind it, too. Input: for each set, for each model, for each input its bytes.
// Output: the same order, each output preceded by its size (32 bits, little-endian). Calls nothing
// outside this folder (no memcpy or memset, no 64-bit division): all that the linker takes from
// libraries is there for the models.
#include "harness.h"

#include "board.h"
#include "semihosting.h"

using namespace thimble_firmware;

namespace {

constexpr uint8_t kPoison = 0xA5;
constexpr uint32_t kPaint = 0xC5C55C5C;

struct Files {
  int32_t input, output;
};

struct Options {
  const char* input_path;
  const char* output_path;
  uint32_t sets;
  const char* goes_on;

  bool set_goes_on(uint32_t set) const {
    const char* digit = goes_on;
    for (uint32_t k = 0; k < set && digit[1] != '\0'; ++k) ++digit;
    return *digit == '1';
  }
};

struct Cost {
  uint32_t ticks;  // of the counter
  uint32_t polls;  // of the counter, until the tick that was begun had passed
  uint32_t stack_bytes;
};

[[noreturn]] void fail(const char* what, const char* name) {
  print("error ");
  print(what);
  print(name);
  print("\n");
  exit_with(1);
}

// Differs from byte to byte, so that a copy within the guard shows.
uint8_t guard_byte(const uint8_t* at) {
  return static_cast<uint8_t>(0x5Cu ^ (reinterpret_cast<uintptr_t>(at) * 29u));
}

void write_guard(uint8_t* begin) {
  for (size_t i = 0; i < kGuardBytes; ++i) {
    static_cast<volatile uint8_t*>(begin)[i] = guard_byte(begin + i);
  }
}

bool guard_intact(const uint8_t* begin) {
  for (size_t i = 0; i < kGuardBytes; ++i) {
    if (begin[i] != guard_byte(begin + i)) return false;
  }
  return true;
}

// A piece of memory between guards.
struct Guarded {
  uint8_t* begin;
  size_t size_bytes;

  void write_guards() const {
    write_guard(begin - kGuardBytes);
    write_guard(begin + size_bytes);
  }
  bool intact_before() const { return guard_intact(begin - kGuardBytes); }
  bool intact_after() const { return guard_intact(begin + size_bytes); }
};

// Hands out pieces of the free memories, one behind the other.
class Placer {
 public:
  Placer() {
    for (size_t& used : used_) used = 0;
  }

  // Aligned as asked for and no better, with room for the guards.
  Guarded place(size_t size_bytes, uintptr_t alignment, const char* refusal, const char* name) {
    for (size_t i = 0; i < kMemoryCount; ++i) {
      const Memory memory = free_memory(i);
      uintptr_t at = reinterpret_cast<uintptr_t>(memory.begin) + used_[i] + kGuardBytes;
      at = ((at + 2 * alignment - 1) & ~(2 * alignment - 1)) + alignment;
      const uintptr_t end = reinterpret_cast<uintptr_t>(memory.end);
      if (at + kGuardBytes > end || size_bytes > end - kGuardBytes - at) continue;
      used_[i] = at + size_bytes + kGuardBytes - reinterpret_cast<uintptr_t>(memory.begin);
      return {reinterpret_cast<uint8_t*>(at), size_bytes};
    }
    fail(refusal, name);
  }

 private:
  size_t used_[kMemoryCount];
};

constexpr size_t kMostOutside = 16;

// The memory of one run: the arena, and every tensor outside of it.
struct RunMemory {
  Guarded arena;
  Guarded outside[kMostOutside];
  void* pointers[kMostOutside];
  size_t count;
  size_t inputs;  // of those outside, the first

  bool intact_before() const {
    bool intact = arena.intact_before();
    for (size_t i = 0; i < count; ++i) intact = intact && outside[i].intact_before();
    return intact;
  }
  bool intact_after() const {
    bool intact = arena.intact_after();
    for (size_t i = 0; i < count; ++i) intact = intact && outside[i].intact_after();
    return intact;
  }
  // FNV-1a of the inputs outside of the arena.
  uint32_t inputs_hash() const {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < inputs; ++i) {
      for (size_t k = 0; k < outside[i].size_bytes; ++k) {
        hash = (hash ^ outside[i].begin[k]) * 16777619u;
      }
    }
    return hash;
  }
};

void poison(const Guarded& memory) {
  memory.write_guards();
  for (size_t i = 0; i < memory.size_bytes; ++i) {
    static_cast<volatile uint8_t*>(memory.begin)[i] = kPoison;
  }
}

void place_outside(size_t count, const size_t* bytes, const size_t* offsets,
                   const thimble_model& model, Placer& placer, RunMemory& memory) {
  constexpr uintptr_t kElement = 4;  // the largest that a tensor has
  for (size_t i = 0; i < count; ++i) {
    if (offsets[i] != THIMBLE_OUTSIDE) continue;
    if (memory.count == kMostOutside) fail("too many tensors outside of the arena of ", model.name);
    const Guarded placed = placer.place(bytes[i], kElement,
                                        "no memory for what lies beside the arena of ", model.name);
    poison(placed);
    memory.outside[memory.count] = placed;
    memory.pointers[memory.count++] = placed.begin;
  }
}

void place_memory(const thimble_model& model, bool goes_on, RunMemory& memory) {
  Placer placer;
  memory.arena = placer.place(model.arena_bytes, model.arena_alignment,
                              "no memory for the arena of ", model.name);
  if (goes_on) {
    memory.arena.write_guards();
  } else {
    poison(memory.arena);
    if (model.reset != nullptr) model.reset(memory.arena.begin);
  }
  memory.count = 0;
  place_outside(model.input_count, model.input_bytes, model.input_offsets, model, placer, memory);
  memory.inputs = memory.count;
  place_outside(model.output_count, model.output_bytes, model.output_offsets, model, placer,
                memory);
}

// Begins and ends at an edge of the counter: at the end the polls to the next edge tell how much of
// the last tick was left. Nothing but `run` may use the stack below this frame.
[[gnu::noinline]] Cost timed_run(void (*run)(void*, void* const*), void* arena,
                                 void* const* outside) {
  uint32_t* const limit = reinterpret_cast<uint32_t*>(stack_limit());
  uint32_t* const stack = stack_pointer();
  for (volatile uint32_t* word = limit; word < stack; ++word) *word = kPaint;

  const uint32_t before = read_counter();
  uint32_t begin = before;
  while (begin == before) begin = read_counter();
  run(arena, outside);
  const uint32_t end = read_counter();
  uint32_t polls = 0;
  while (read_counter() == end) ++polls;

  const volatile uint32_t* word = limit;
  while (word < stack && *word == kPaint) ++word;
  return {ticks_between(begin, end), polls,
          static_cast<uint32_t>(stack - const_cast<uint32_t*>(word)) * 4};
}

void nothing(void*, void* const*) {}

void read_inputs(const thimble_model& model, const RunMemory& memory, int32_t file) {
  size_t outside = 0;
  for (size_t i = 0; i < model.input_count; ++i) {
    uint8_t* const at = model.input_offsets[i] == THIMBLE_OUTSIDE
                            ? memory.outside[outside++].begin
                            : memory.arena.begin + model.input_offsets[i];
    if (!read_file(file, at, model.input_bytes[i])) {
      fail("the input file is too short for ", model.name);
    }
  }
}

void write_outputs(const thimble_model& model, const RunMemory& memory, int32_t file) {
  size_t outside = memory.inputs;
  for (size_t i = 0; i < model.output_count; ++i) {
    const uint32_t bytes = model.output_bytes[i];
    const uint8_t* const at = model.output_offsets[i] == THIMBLE_OUTSIDE
                                  ? memory.outside[outside++].begin
                                  : memory.arena.begin + model.output_offsets[i];
    if (!write_file(file, &bytes, sizeof(bytes)) || !write_file(file, at, bytes)) {
      fail("cannot write the outputs of ", model.name);
    }
  }
}

const char* guards_word(bool before, bool after) {
  if (before && after) return "intact";
  if (before) return "after";
  return after ? "before" : "both";
}

void print_field(const char* field, uint64_t value) {
  print(field);
  print_hex(value);
}

// Without a 64-bit product, which Armv6-M takes from a library. factor: below 2^16.
uint64_t times(uint32_t value, uint32_t factor) {
  return (static_cast<uint64_t>((value >> 16) * factor) << 16) + (value & 0xFFFF) * factor;
}

// Instructions from one edge of the counter to the end of the run.
uint64_t instructions(const Cost& cost) {
  return times(cost.ticks, kInstructionsPerTick) + kInstructionsPerTick -
         cost.polls * kPollInstructions;
}

void run_model(uint32_t number, uint32_t set, bool goes_on, uint64_t overhead, const Files& files) {
  const thimble_model& model = thimble_models[number];
  running_model = number;
  RunMemory memory;
  place_memory(model, goes_on, memory);
  read_inputs(model, memory, files.input);
  const uint32_t inputs_before = memory.inputs_hash();

  const Cost cost = timed_run(model.run, memory.arena.begin, memory.pointers);

  if (*reinterpret_cast<const uint32_t*>(stack_limit()) != kPaint)
    fail("stack overflow in ", model.name);
  write_outputs(model, memory, files.output);
  print_field("result model=", number);
  print_field(" set=", set);
  const uint64_t measured = instructions(cost);
  print_field(" instructions=", measured > overhead ? measured - overhead : 0);
  print_field(" stack=", cost.stack_bytes);
  print_field(" outputs=", model.output_count);
  print(" guards=");
  print(guards_word(memory.intact_before(), memory.intact_after()));
  print(" inputs=");
  print(memory.inputs_hash() == inputs_before ? "intact" : "changed");
  print(" name=");
  print(model.name);
  print("\n");
}

// Splits the text at spaces, in place.
Options parse(char* text) {
  constexpr size_t kWords = 5;
  const char* words[kWords];
  size_t count = 0;
  bool inside = false;
  for (char* at = text; *at != '\0'; ++at) {
    if (*at == ' ') {
      *at = '\0';
      inside = false;
    } else if (!inside) {
      if (count < kWords) words[count] = at;
      ++count;
      inside = true;
    }
  }
  if (count != kWords)
    fail("expected as command line: NAME INPUT_FILE OUTPUT_FILE SETS GOES_ON", "");
  uint32_t sets = 0;
  for (const char* at = words[3]; *at != '\0'; ++at) {
    if (*at < '0' || *at > '9') fail("SETS must be a number, not ", words[3]);
    sets = sets * 10 + static_cast<uint32_t>(*at - '0');
  }
  return {words[1], words[2], sets, words[4]};
}

void check_input_size(int32_t file, uint32_t sets) {
  size_t expected = 0;
  for (size_t m = 0; m < thimble_model_count; ++m) {
    const thimble_model& model = thimble_models[m];
    for (size_t i = 0; i < model.input_count; ++i) expected += model.input_bytes[i];
  }
  expected *= sets;
  if (static_cast<size_t>(file_bytes(file)) != expected) {
    print_field("note input bytes expected=", expected);
    print("\n");
    fail("the input file does not have the size of all inputs", "");
  }
}

}  // namespace

extern "C" void harness_main() {
  char text[128];
  if (!command_line(text, sizeof(text))) fail("the command line is too long", "");
  const Options options = parse(text);
  const Files files = {open_file(options.input_path, OpenMode::kRead),
                       open_file(options.output_path, OpenMode::kWrite)};
  if (files.input < 0) fail("cannot open ", options.input_path);
  if (files.output < 0) fail("cannot open ", options.output_path);
  check_input_size(files.input, options.sets);

  // What is left of an empty function is its return: one instruction, which counts.
  const uint64_t overhead = instructions(timed_run(nothing, nullptr, nullptr)) - 1;
  for (uint32_t set = 0; set < options.sets; ++set) {
    const bool goes_on = options.set_goes_on(set);
    if (goes_on && thimble_model_count > 1) fail("several models cannot go on", "");
    for (uint32_t m = 0; m < thimble_model_count; ++m) run_model(m, set, goes_on, overhead, files);
  }
  close_file(files.input);
  close_file(files.output);
  print("done\n");
  exit_with(0);
}
