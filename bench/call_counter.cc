// SPDX-License-Identifier: Apache-2.0
// A plugin for QEMU: instructions of each kernel call of a model in a firmware
// (firmware/harness.cc), and cycles as the Cortex-M4's published timings have them. Written when
// the emulation ends, one line for each place that calls a kernel, in the order of their first
// calls:
//
//   CALLS INSTRUCTIONS CYCLES SYMBOL        (the kernel's)
//   1 INSTRUCTIONS CYCLES -                 (last: all of the model, what is between the calls
//   included)
//
//   qemu-system-arm -plugin libcall_counter.so,out=FILE -kernel firmware.elf ...
//
// Timings: Cortex-M4 Technical Reference Manual, 3.3: loads and stores 2, 1 right behind another;
// several registers 1 + n; divisions at their most, 12; a branch that is taken 3; all others 1. No
// wait states: of flash, and of a bus that others use, cores differ.
// Debian's QEMU has plugins and no header for them: what is used of API version 1 is declared here.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
struct qemu_plugin_tb;
struct qemu_plugin_insn;
using qemu_plugin_id_t = uint64_t;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t, qemu_plugin_tb*));
// flags: 0, no registers are looked at.
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, void (*)(unsigned int, void*), int flags,
                                          void*);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void*);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, size_t);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const qemu_plugin_insn*);
const char* qemu_plugin_insn_symbol(const qemu_plugin_insn*);
char* qemu_plugin_insn_disas(const qemu_plugin_insn*);
[[gnu::visibility("default")]] int qemu_plugin_version = 1;
[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t, const void*, int, char**);
}

namespace {

constexpr uint64_t kTakenCycles = 2;  // beyond the branch's own

enum class Place : uint8_t { kHarness, kModel, kKernel, kLibrary };

// Instructions that are always executed one after the other.
struct Block {
  uint64_t begin, end;
  uint64_t instructions = 0, cycles = 0;
  Place place = Place::kHarness;
  std::string symbol;
};

struct Call {
  uint64_t calls = 0, instructions = 0, cycles = 0;
  std::string symbol;
};

struct State {
  std::string output_path;
  std::vector<std::unique_ptr<Block>> blocks;
  std::map<uint64_t, Call*> sites;  // by the end of the block that calls
  std::deque<Call> calls;
  Call total;
  const Block* last = nullptr;  // of the model's
  Call* open = nullptr;         // the kernel's call that is executed
  bool running = false;
};
// Never destroyed: QEMU calls finish() when the globals are gone.
State& state = *new State;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (text.substr(0, beginning.size()) == beginning) return true;
  }
  return false;
}

// "{r0, r4-r6, pc}": 5
uint64_t registers_in_list(std::string_view text) {
  uint64_t count = 0;
  const size_t open_brace = text.find('{');
  if (open_brace == std::string_view::npos) return 1;
  count = 1;
  for (const char c : text.substr(open_brace)) count += c == ',' ? 1 : 0;
  return count;
}

bool is_single_access(std::string_view text) {
  return starts_with_any(text, {"ldr", "str", "vldr", "vstr"}) &&
         !starts_with_any(text, {"ldrd", "strd"});
}

uint64_t cycles_of(std::string_view text, bool behind_access) {
  if (starts_with_any(text, {"ldrd", "strd"})) return 3;
  if (is_single_access(text)) return behind_access ? 1 : 2;
  if (starts_with_any(text, {"ldm", "stm", "push", "pop", "vldm", "vstm", "vpush", "vpop"}))
    return 1 + registers_in_list(text);
  if (starts_with_any(text, {"sdiv", "udiv"})) return 12;
  if (starts_with_any(text, {"vdiv", "vsqrt"})) return 14;
  return 1;
}

// By how the emitted code and the harness name their functions.
Place place_of(std::string_view symbol) {
  const auto has = [&](const char* part) { return symbol.find(part) != std::string_view::npos; };
  if (has("timed_run") || has("_reset_on_board")) return Place::kHarness;
  if (symbol.ends_with("_run") || symbol.starts_with("_ZN12_GLOBAL__N_1")) return Place::kModel;
  return has("7thimble") && has("runtime") ? Place::kKernel : Place::kLibrary;
}

void execute(unsigned int, void* data) {
  const auto& block = *static_cast<const Block*>(data);
  State& s = state;
  if (block.place == Place::kHarness) {
    s.running = false;
  } else if (block.symbol.find("_on_board") != std::string::npos) {
    s.running = true;
  }
  if (!s.running) {
    s.last = nullptr;
    s.open = nullptr;
    return;
  }
  const uint64_t taken = s.last != nullptr && s.last->end != block.begin ? kTakenCycles : 0;
  if (block.place == Place::kModel) {
    s.open = nullptr;
  } else if (block.place == Place::kKernel && s.open == nullptr) {
    Call*& call = s.sites[s.last == nullptr ? 0 : s.last->end];
    // All rows of the emitted table come to a kernel from one place, each once.
    const bool row = s.last != nullptr && s.last->symbol.find("_stepE") != std::string::npos;
    if (call == nullptr || row) call = &s.calls.emplace_back(Call{.symbol = block.symbol});
    s.open = call;
    ++s.open->calls;
  }
  for (Call* const call : {&s.total, s.open}) {
    if (call == nullptr) continue;
    call->instructions += block.instructions;
    call->cycles += block.cycles + taken;
  }
  s.last = &block;
}

void translate(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  auto block = std::make_unique<Block>();
  const size_t count = qemu_plugin_tb_n_insns(tb);
  bool behind_access = false;
  for (size_t i = 0; i < count; ++i) {
    const qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t at = qemu_plugin_insn_vaddr(insn);
    if (i == 0) {
      const char* const symbol = qemu_plugin_insn_symbol(insn);
      block->begin = at;
      block->symbol = symbol == nullptr ? "" : symbol;
      block->place = place_of(block->symbol);
    }
    block->end = at + qemu_plugin_insn_size(insn);
    const std::unique_ptr<char, decltype(&std::free)> text(qemu_plugin_insn_disas(insn),
                                                           &std::free);
    ++block->instructions;
    block->cycles += cycles_of(text.get(), behind_access);
    behind_access = is_single_access(text.get());
  }
  qemu_plugin_register_vcpu_tb_exec_cb(tb, execute, 0, block.get());
  state.blocks.push_back(std::move(block));
}

void write_line(std::FILE* file, const Call& call) {
  std::fprintf(file, "%llu %llu %llu %s\n", static_cast<unsigned long long>(call.calls),
               static_cast<unsigned long long>(call.instructions),
               static_cast<unsigned long long>(call.cycles), call.symbol.c_str());
}

void finish(qemu_plugin_id_t, void*) {
  std::FILE* const file = std::fopen(state.output_path.c_str(), "w");
  if (file == nullptr) return;
  for (const Call& call : state.calls) write_line(file, call);
  state.total.calls = 1;
  state.total.symbol = "-";
  write_line(file, state.total);
  std::fclose(file);
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const void*, int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    if (std::strncmp(argv[i], "out=", 4) == 0) state.output_path = argv[i] + 4;
  }
  if (state.output_path.empty()) return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, finish, nullptr);
  return 0;
}
