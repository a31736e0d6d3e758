// SPDX-License-Identifier: Apache-2.0
#include "bench/code_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "thimble/emit/runtime_copy.h"
#include "thimble/emit/uses.h"
#include "thimble/emit/working_program.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/cross_build.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/stack_usage.h"
#include "zoo/random.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUse = "THIMBLE_USES_";

std::string output_of(const std::vector<std::string>& arguments, const fs::path& folder = {}) {
  const ProcessResult result = run_process({.arguments = arguments, .working_folder = folder});
  if (!result.succeeded()) {
    throw InternalError(
        fmt::format("{} failed:\n{}", arguments.front(), result.err.substr(0, 2000)));
  }
  return result.out;
}

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  write_file(path, std::array<std::string_view, 1>{text});
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// As the linker counts them: no notes, no debugging information.
Sections sections_of(const std::string& sizes) {
  Sections sections;
  std::istringstream lines(sizes);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t bytes = 0;
    if (!(words >> name >> bytes) || bytes == 0) continue;
    for (const std::string_view counted : {".text", ".rodata", ".data", ".ARM.exidx"}) {
      if (name.starts_with(counted)) sections[name] += bytes;
    }
  }
  return sections;
}

// Symbols that libraries define: functions of C++ and constants of models are left out.
std::vector<std::string> undefined_symbols(const std::string& names) {
  std::vector<std::string> symbols;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    if (word != "U" && !word.starts_with("_Z") && !word.starts_with("thimble_"))
      symbols.push_back(word);
  }
  return symbols;
}

// What a source, and what it includes, looks at in uses.h.
std::set<std::string> uses_of(const std::string& source) {
  std::set<std::string> uses;
  for (const EmittedFile& file : runtime_copies(runtime_files(), {source})) {
    if (file.path.ends_with("/uses.h")) continue;
    for (size_t at = file.text.find(kUse); at != std::string::npos;
         at = file.text.find(kUse, at + 1)) {
      const size_t begin = at + kUse.size();
      uses.insert(file.text.substr(
          begin,
          file.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", begin) - begin));
    }
  }
  return uses;
}

std::vector<std::set<std::string>> variants_of(const std::set<std::string>& uses, int variants,
                                               const std::set<std::set<std::string>>& seen) {
  std::vector<std::set<std::string>> all = {{}};
  if (uses.empty()) return all;
  all.push_back(uses);
  for (const std::set<std::string>& some : seen) {
    if (std::ranges::find(all, some) == all.end()) all.push_back(some);
  }
  zoo::Random random(uses.size());
  for (int k = 0; uses.size() > 1 && k < variants; ++k) {
    std::set<std::string> some;
    for (const std::string& use : uses) {
      if (random.next() % 2 == 0) some.insert(use);
    }
    if (std::ranges::find(all, some) == all.end()) all.push_back(std::move(some));
  }
  return all;
}

// What programs that call the kernel use of what its source looks at.
std::set<std::set<std::string>> seen_of(const std::string& kernel,
                                        const std::set<std::string>& looked_at,
                                        const std::vector<EmittedSample>& programs) {
  std::set<std::set<std::string>> seen;
  for (const EmittedSample& program : programs) {
    const std::set<KernelId> called = program.code.kernels();
    if (!called.contains(kernel_named(kernel))) continue;
    std::set<std::string> some;
    std::ranges::set_intersection(program.uses, looked_at, std::inserter(some, some.end()));
    seen.insert(std::move(some));
  }
  return seen;
}

// The deepest stack of the functions with `part` in their names; with what they call.
int64_t deepest_of(const StackUsage& usage, const std::string& part) {
  int64_t deepest = 0;
  for (const std::string& name : usage.named(part))
    deepest = std::max(deepest, usage.deepest_bytes(name));
  return deepest;
}

// Part of the mangled name of a function outside of classes.
std::string mangled(const std::string& name) { return fmt::format("{}{}E", name.size(), name); }

}  // namespace

CodeSampler::CodeSampler(std::string core) : core_(std::move(core)) {}

std::string CodeSampler::compiler() const {
  const std::string program = shipping_command(core_).front();
  std::string version = output_of({program, "-dumpfullversion"});
  version.erase(version.find_last_not_of('\n') + 1);
  return program + " " + version;
}

const Sections& CodeSampler::library(const std::string& symbol) {
  const auto known = libraries_.find(symbol);
  if (known != libraries_.end()) return known->second;
  // Where Debian has no C library the firmware brings these, and they are not counted as a model's.
  const bool has_library =
      std::ranges::count(core_named(core_).compiler.libraries, std::string("-lc")) > 0;
  if (!has_library && (symbol == "memcpy" || symbol == "memset" || symbol == "memmove"))
    return libraries_.emplace(symbol, Sections()).first->second;
  const fs::path table = folder_.path() / "symbol.cc";
  // The table is what the linker begins with.
  write(table,
        fmt::format("asm(\".global thimble_models\\n.section .rodata.thimble_models,\\\"a\\\""
                    "\\n.balign 4\\nthimble_models: .word {}\\n\");\n",
                    symbol));
  const CrossBuild build{.sources = {},
                         .weight_sources = {},
                         .table_sources = {table},
                         .include_folders = {},
                         .core = core_};
  const LinkedSizes linked = measure_sizes(build);
  Sections sections;
  for (const LinkedSection& section : linked.sections) {
    const size_t slash = section.object.rfind('/');
    sections[section.object.substr(slash + 1) + section.section] += section.size_bytes;
  }
  disassembly_ += linked.disassembly;
  return libraries_.emplace(symbol, std::move(sections)).first->second;
}

CodeSampler::Object CodeSampler::compiled(const std::string& source, const fs::path& folder) {
  std::vector<std::string> arguments = shipping_command(core_);
  for (const char* argument :
       {"-fcallgraph-info=su", "-I.", "-Iruntime", "-Iruntime/include", "-c", "-o", "sample.o"})
    arguments.emplace_back(argument);
  arguments.push_back(source);
  output_of(arguments, folder);
  const std::string object = (folder / "sample.o").string();
  Object result{.own = sections_of(output_of({binary_tool(core_, "size"), "-A", object})),
                .libraries = {},
                .call_graph = read(folder / "sample.ci")};
  for (const std::string& symbol :
       undefined_symbols(output_of({binary_tool(core_, "nm"), "-u", object}))) {
    for (const auto& [name, bytes] : library(symbol)) result.libraries[name] = bytes;
  }
  return result;
}

std::vector<KernelSample> CodeSampler::kernel_samples(int variants,
                                                      const std::vector<EmittedSample>& programs) {
  const fs::path folder = folder_.path() / "kernels";
  for (const RuntimeFile& file : runtime_files()) write(folder / "runtime" / file.path, file.text);
  std::vector<KernelSample> samples;
  const Core core = core_named(core_);
  for (const KernelInfo& kernel : kernels()) {
    if (!core.has(kernel.set)) continue;
    const std::set<std::string> looked_at = uses_of(kernel.source());
    for (const std::set<std::string>& uses :
         variants_of(looked_at, variants, seen_of(kernel.name, looked_at, programs))) {
      const UsedRuntime used(runtime_files(), uses);
      const auto header =
          std::ranges::find(used.files(), "include/thimble_runtime/uses.h", &RuntimeFile::path);
      write(folder / "runtime" / header->path, header->text);
      Object object = compiled("runtime/" + kernel.source(), folder);
      StackUsage usage;
      usage.add_call_graph(object.call_graph);
      usage.add_disassembly(disassembly_);
      KernelSample sample{.kernel = kernel.name,
                          .uses = uses,
                          .sections = std::move(object.own),
                          .stack_bytes = deepest_of(usage, mangled(kernel.name))};
      sample.sections.merge(object.libraries);
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

EmittedSample CodeSampler::emitted_sample(const std::string& name, const Compiled& compiled_model) {
  const fs::path folder = folder_.path() / "emitted";
  fs::remove_all(folder);
  for (const EmittedFile& file :
       emitted_files(compiled_model, {.name = name, .command = "fit_code", .also_used = {}}))
    write(folder / file.path, file.text);
  Object object = compiled(name + ".cc", folder);
  EmittedSample sample{.name = name,
                       .code = program_code(compiled_model.graph, compiled_model.program),
                       .uses = {},
                       .libraries = std::move(object.libraries)};
  const Program working = working_program(compiled_model.program);
  const Program* const programs[] = {&working};
  sample.uses = used_parts(programs);
  for (const auto& [section, bytes] : object.own) sample.own_bytes += bytes;
  StackUsage usage;
  usage.add_call_graph(object.call_graph);
  usage.add_disassembly(disassembly_);
  int64_t deepest = 0, deepest_frame = deepest_of(usage, mangled("run_steps"));
  sample.table_stack_bytes = deepest_frame;
  for (const std::string& stage : sample.code.stage_names) {
    sample.frames.push_back(deepest_of(usage, mangled(stage)));
    deepest_frame = std::max(deepest_frame, sample.frames.back());
  }
  for (const std::string& entry : usage.entries())
    deepest = std::max(deepest, usage.deepest_bytes(entry));
  sample.entry_stack_bytes = deepest - deepest_frame;
  return sample;
}

}  // namespace thimble
