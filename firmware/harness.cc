// SPDX-License-Identifier: Apache-2.0
// Runs every model of the table on every input set of a file, each in an arena of exactly its bytes
// between guards, and reports instructions, peak stack and the guards:
//
//   result model=0x0 set=0x0 instructions=0x1f4 stack=0x28 outputs=0x1 guards=intact
//   name=person_detect
//
// Command line: NAME INPUT_FILE OUTPUT_FILE SETS. Input: for each set, for each model, for each
// input its bytes. Output: the same order, each output preceded by its size (32 bits,
// little-endian). Calls nothing outside this folder (no memcpy, no 64-bit division): all that the
// linker takes from libraries is there for the models.
#include "harness.h"

#include "board.h"
#include "semihosting.h"

using namespace thimble_firmware;

namespace {

constexpr size_t kGuardBytes = 512;
constexpr uint8_t kPoison = 0xA5;
constexpr uint32_t kPaint = 0xC5C55C5C;

struct Files {
  int32_t input, output;
};

struct Options {
  const char* input_path;
  const char* output_path;
  uint32_t sets;
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

// The arena: aligned as the model asks for and no better, with room for the guards.
uint8_t* place_arena(const thimble_model& model) {
  const uintptr_t alignment = model.arena_alignment;
  for (size_t i = 0; i < kMemoryCount; ++i) {
    const Memory memory = free_memory(i);
    uintptr_t at = reinterpret_cast<uintptr_t>(memory.begin) + kGuardBytes;
    at = ((at + 2 * alignment - 1) & ~(2 * alignment - 1)) + alignment;
    const uintptr_t end = reinterpret_cast<uintptr_t>(memory.end);
    if (at + kGuardBytes <= end && model.arena_bytes <= end - kGuardBytes - at) {
      return reinterpret_cast<uint8_t*>(at);
    }
  }
  fail("no memory for the arena of ", model.name);
}

// Begins and ends at an edge of the counter: at the end the polls to the next edge tell how much of
// the last tick was left. Nothing but `run` may use the stack below this frame.
[[gnu::noinline]] Cost timed_run(void (*run)(void*), void* arena) {
  uint32_t* const limit = reinterpret_cast<uint32_t*>(stack_limit());
  uint32_t* stack = nullptr;
  asm volatile("mov %0, sp" : "=r"(stack));
  for (volatile uint32_t* word = limit; word < stack; ++word) *word = kPaint;

  volatile uint32_t* const counter = kCounter;
  const uint32_t before = *counter;
  uint32_t begin = before;
  while (begin == before) begin = *counter;
  run(arena);
  const uint32_t end = *counter;
  uint32_t polls = 0;
  while (*counter == end) ++polls;

  const volatile uint32_t* word = limit;
  while (word < stack && *word == kPaint) ++word;
  return {begin - end, polls, static_cast<uint32_t>(stack - const_cast<uint32_t*>(word)) * 4};
}

void nothing(void*) {}

void read_inputs(const thimble_model& model, uint8_t* arena, int32_t file) {
  for (size_t i = 0; i < model.input_count; ++i) {
    if (!read_file(file, arena + model.input_offsets[i], model.input_bytes[i])) {
      fail("the input file is too short for ", model.name);
    }
  }
}

void write_outputs(const thimble_model& model, const uint8_t* arena, int32_t file) {
  for (size_t i = 0; i < model.output_count; ++i) {
    const uint32_t bytes = model.output_bytes[i];
    if (!write_file(file, &bytes, sizeof(bytes)) ||
        !write_file(file, arena + model.output_offsets[i], bytes)) {
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

// Instructions since the last edge seen; kPollInstructions: ldr, cmp, add, branch.
uint64_t instructions(const Cost& cost) {
  constexpr uint32_t kPollInstructions = 4;
  return (static_cast<uint64_t>(cost.ticks) + 1) * kInstructionsPerTick -
         static_cast<uint64_t>(cost.polls) * kPollInstructions;
}

void run_model(uint32_t number, uint32_t set, uint64_t overhead, const Files& files) {
  const thimble_model& model = thimble_models[number];
  running_model = number;
  uint8_t* const arena = place_arena(model);
  write_guard(arena - kGuardBytes);
  write_guard(arena + model.arena_bytes);
  for (size_t i = 0; i < model.arena_bytes; ++i) static_cast<volatile uint8_t*>(arena)[i] = kPoison;
  read_inputs(model, arena, files.input);

  const Cost cost = timed_run(model.run, arena);

  if (*reinterpret_cast<const uint32_t*>(stack_limit()) != kPaint)
    fail("stack overflow in ", model.name);
  const bool before = guard_intact(arena - kGuardBytes);
  const bool after = guard_intact(arena + model.arena_bytes);
  write_outputs(model, arena, files.output);
  print_field("result model=", number);
  print_field(" set=", set);
  const uint64_t measured = instructions(cost);
  print_field(" instructions=", measured > overhead ? measured - overhead : 0);
  print_field(" stack=", cost.stack_bytes);
  print_field(" outputs=", model.output_count);
  print(" guards=");
  print(guards_word(before, after));
  print(" name=");
  print(model.name);
  print("\n");
}

// Splits the text at spaces, in place.
Options parse(char* text) {
  const char* words[4] = {};
  size_t count = 0;
  bool inside = false;
  for (char* at = text; *at != '\0'; ++at) {
    if (*at == ' ') {
      *at = '\0';
      inside = false;
    } else if (!inside) {
      if (count < 4) words[count] = at;
      ++count;
      inside = true;
    }
  }
  if (count != 4) fail("expected as command line: NAME INPUT_FILE OUTPUT_FILE SETS", "");
  uint32_t sets = 0;
  for (const char* at = words[3]; *at != '\0'; ++at) {
    if (*at < '0' || *at > '9') fail("SETS must be a number, not ", words[3]);
    sets = sets * 10 + static_cast<uint32_t>(*at - '0');
  }
  return {words[1], words[2], sets};
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
  char text[512];
  if (!command_line(text, sizeof(text))) fail("the command line is too long", "");
  const Options options = parse(text);
  const Files files = {open_file(options.input_path, OpenMode::kRead),
                       open_file(options.output_path, OpenMode::kWrite)};
  if (files.input < 0) fail("cannot open ", options.input_path);
  if (files.output < 0) fail("cannot open ", options.output_path);
  check_input_size(files.input, options.sets);

  // What is left of an empty function is its return: one instruction, which counts.
  const uint64_t overhead = instructions(timed_run(nothing, nullptr)) - 1;
  for (uint32_t set = 0; set < options.sets; ++set) {
    for (uint32_t m = 0; m < thimble_model_count; ++m) run_model(m, set, overhead, files);
  }
  close_file(files.input);
  close_file(files.output);
  print("done\n");
  exit_with(0);
}
