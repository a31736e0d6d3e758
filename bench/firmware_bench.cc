// SPDX-License-Identifier: Apache-2.0
// What each plan costs on an emulated core (Cortex-M4): size, instructions, and whether the outputs
// are those of the reference, as CSV.
//   firmware_bench --output bench/results/firmware_zoo.csv zoo:* ../shared/models
// A plan is a planner with options of `thimble compile`:
//   firmware_bench --plan reorder --plan "stream --input streamed" zoo:mobilenet_v2
// "--sram +8K" or "--sram +10%" is that much beyond what the plan needs with portable kernels and
// no limit:
//   firmware_bench --plan "stream:granularity=row --core cortex-m4 --sram +8K" person_detect.tflite
// A line for each model and plan, written as soon as it is measured. Started again with the same
// output, it measures only what is missing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/cli/options.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/identifier.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"
#include "thimble/toolchain/process.h"
#include "zoo/zoo.h"

namespace {

using namespace thimble;

constexpr const char* kColumns =
    "model,plan,arena_bytes,macs,recomputed_macs,instructions,ratio,stack_bytes,code_bytes,weight_"
    "bytes,"
    "static_ram_bytes,identical,note";
// Where a model's weights go if the code memory has no room for them (firmware/mps2-an386/link.ld).
constexpr int64_t kBoardWeightBytes = int64_t{16} << 20;

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> plans = {"reorder",
                                    "pex",
                                    "depthwise_tiling",
                                    "patch",
                                    "stream:granularity=row",
                                    "stream:granularity=pixel"};
  std::string core = "cortex-m4";
  std::string output;
  int64_t max_macs = 4'000'000'000;
};

// The first line of what a program says of its version, without the packager's remarks in brackets.
std::string version(const char* program, const char* option) {
  std::string text = run_process({.arguments = {program, option}, .working_folder = {}}).out;
  text.erase(std::min(text.find_first_of("(\n"), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string first_line(int argc, char** argv, const std::string& core) {
  std::string line = "# firmware_bench";
  for (int k = 1; k < argc; ++k) {
    const std::filesystem::path argument(argv[k]);
    const std::string text = (argument.is_absolute() ? argument.filename() : argument).string();
    line += text.find_first_of(" *") == std::string::npos ? " " + text : " '" + text + "'";
  }
  const std::vector<Board> boards = boards_of(core);
  if (boards.empty()) throw CompileError(core, "no board with this core is emulated");
  return fmt::format("{} (GCC {} -O2, {}, {})", line, version("arm-none-eabi-g++", "-dumpversion"),
                     version("qemu-system-arm", "--version"), boards.front().machine);
}

// "zoo:*" is the whole zoo, a folder its .tflite files.
std::vector<std::string> model_names(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const std::string& argument : arguments) {
    if (argument == "zoo:*") {
      for (const ZooEntry& entry : zoo_entries()) names.push_back("zoo:" + entry.name);
    } else if (std::filesystem::is_directory(argument)) {
      std::vector<std::string> files;
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        if (entry.path().extension() == ".tflite") files.push_back(entry.path().string());
      }
      std::sort(files.begin(), files.end());
      names.insert(names.end(), files.begin(), files.end());
    } else {
      names.push_back(argument);
    }
  }
  return names;
}

// "zoo:mobilenet_v2:width=0.35:resolution=144", "person_detect".
std::string without_commas(std::string text) {
  std::replace(text.begin(), text.end(), ',', ':');
  return text;
}

std::string row_name(const std::string& model) {
  if (model.starts_with("zoo:")) return without_commas(model);
  return std::filesystem::path(model).stem().string();
}

struct PlanToMeasure {
  Request request;
  std::string beyond;  ///< of "--sram +SIZE": "8K" or "10%"
};

// A planner and its options, as typed behind `thimble compile MODEL --planner`.
PlanToMeasure parse_plan(std::string text) {
  const std::string given = text, option = "--sram +";
  std::string beyond;
  if (const size_t at = text.find(option); at != std::string::npos) {
    const size_t end = std::min(text.find(' ', at + option.size()), text.size());
    beyond = text.substr(at + option.size(), end - at - option.size());
    text.erase(at, end - at);
  }
  RequestOptions options;
  std::string planner;
  CLI::App app{"", "compile"};
  add_text(app, "PLANNER", planner, "NAME", "")->required();
  for (const FieldGroup group : {FieldGroup::kGraph, FieldGroup::kTarget, FieldGroup::kLimits})
    add_fields(app, group, options);
  app.set_help_flag();
  try {
    app.parse(text);
  } catch (const CLI::ParseError& error) {
    throw CompileError("--plan '" + given + "'", error.what());
  }
  options.fields["planner"] = {planner};
  return {request(options), beyond};
}

std::vector<PlanToMeasure> parse_plans(const std::vector<std::string>& texts) {
  std::vector<PlanToMeasure> plans;
  for (const std::string& text : texts) plans.push_back(parse_plan(text));
  return plans;
}

Compiled compiled_plan(const Request& request) {
  Answer answer = compile(request);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    throw CompileError("does not fit", fmt::format("{}; no plan is below {}\n", no->reason,
                                                   human_size(no->lower_bound_bytes)));
  }
  return std::move(std::get<Compiled>(answer));
}

// What the plan needs with portable kernels, and `beyond` that.
int64_t sram_beyond(Request request, const std::string& beyond) {
  request.target.core = {};
  const int64_t least = compiled_plan(request).program.arena_bytes();
  if (!beyond.ends_with('%')) return least + parse_size(beyond);
  return least + least * parse_size(beyond.substr(0, beyond.size() - 1)) / 100;
}

// The table so far: rows by "model,plan".
class Table {
 public:
  Table(const std::string& path, const std::string& head) {
    if (path.empty()) {
      file_ = stdout;
    } else {
      read(path, head);
      file_ = std::fopen(path.c_str(), "a");
      if (file_ == nullptr) throw CompileError(path, "cannot be written");
    }
    if (rows_.empty()) fmt::print(file_, "{}\n{}\n", head, kColumns);
  }

  [[nodiscard]] bool has(const std::string& key) const { return rows_.contains(key); }
  /// Instructions of an earlier row.
  [[nodiscard]] std::optional<int64_t> instructions(const std::string& key) const {
    const auto row = rows_.find(key);
    if (row == rows_.end() || row->second == 0) return std::nullopt;
    return row->second;
  }
  void add(const std::string& key, int64_t instructions, const std::string& rest) {
    fmt::print(file_, "{},{}\n", key, rest);
    std::fflush(file_);
    rows_[key] = instructions;
  }

 private:
  void read(const std::string& path, const std::string& head) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return;
    if (line != head)
      throw CompileError(path, "was made by another command; name another file, or remove it");
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::vector<std::string> fields = CLI::detail::split(line, ',');
      if (fields.size() < 6) continue;
      rows_[fields[0] + "," + fields[1]] = fields[5].empty() ? 0 : std::stoll(fields[5]);
    }
  }

  std::FILE* file_ = nullptr;
  std::map<std::string, int64_t> rows_;  ///< instructions; 0: not run
};

std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return '"' + text + '"';
}

// The inference that all plans are measured on, and what the reference makes of it.
struct Expected {
  InputCase input;
  std::vector<Bytes> outputs;
};

Expected expect(const Source& source, bool int8_io) {
  const Graph graph = prepare(source.graph, {.rewrite = false, .int8_io = int8_io});
  Expected expected{seeded_case(graph, 1), {}};
  const TensorValues values = interpret(graph, expected.input.inputs);
  for (const Port& port : graph.outputs)
    expected.outputs.push_back(to_port(graph, port, values[port.tensor.index()]));
  return expected;
}

class Bench {
 public:
  Bench(const Options& options, const std::string& head)
      : options_(options), plans_(parse_plans(options.plans)), table_(options.output, head) {}

  void run(const std::string& model) {
    const std::string name = row_name(model);
    if (table_.has(name + ",")) return;
    std::optional<Source> source;
    std::map<bool, Expected> expected;  // by int8_io
    for (size_t k = 0; k < plans_.size(); ++k) {
      const std::string key = name + "," + without_commas(options_.plans[k]);
      if (table_.has(key)) continue;
      try {
        if (!source) source = load(model);
      } catch (const CompileError& error) {
        table_.add(name + ",", 0, kNotRun + quoted(error.what()));
        return;
      }
      Request request = plans_[k].request;
      request.model = *source;
      try {
        if (!plans_[k].beyond.empty()) request.sram_bytes = sram_beyond(request, plans_[k].beyond);
        measure_plan(name, key, *source, request, expected);
      } catch (const std::exception& error) {
        table_.add(key, 0, kNotRun + quoted(error.what()));
      }
    }
  }

 private:
  static constexpr const char* kNotRun = ",,,,,,,,,,";

  void measure_plan(const std::string& name, const std::string& key, const Source& source,
                    const Request& request, std::map<bool, Expected>& all_expected) {
    const auto start = std::chrono::steady_clock::now();
    const Compiled compiled = compiled_plan(request);
    const std::string plan = fmt::format("{},{},{}", compiled.program.arena_bytes(),
                                         compiled.cost.macs, compiled.cost.recomputed_macs);
    const std::string why_not = too_large(compiled);
    if (!why_not.empty()) {
      table_.add(key, 0,
                 fmt::format("{},,,,,{},,,{}", plan, compiled.cost.weight_bytes, quoted(why_not)));
      return;
    }
    const bool int8_io = request.graph.int8_io;
    if (!all_expected.contains(int8_io)) all_expected[int8_io] = expect(source, int8_io);
    const Expected& expected = all_expected[int8_io];
    const std::string function = identifier(compiled.graph.name);
    const Measured measured = measure(
        {{function,
          emitted_files(compiled, {.name = function, .command = "firmware_bench", .also_used = {}}),
          &compiled.program}},
        options_.core, {{expected.input.inputs}});
    const EmulatedRun& run = measured.sets[0][0];
    const bool identical = run.outputs == expected.outputs && run.guards_intact();
    const auto base = table_.instructions(name + "," + without_commas(options_.plans[0]));
    const double ratio =
        base ? static_cast<double>(run.instructions) / static_cast<double>(*base) : 1;
    table_.add(key, run.instructions,
               fmt::format("{},{},{:.3f},{},{},{},{},{},", plan, run.instructions, ratio,
                           run.stack_bytes, measured.size.code_bytes, measured.size.weight_bytes,
                           measured.size.static_ram_bytes, identical ? "yes" : "no"));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "{} {:.1f} s\n", key, seconds.count());
  }

  [[nodiscard]] std::string too_large(const Compiled& compiled) const {
    if (compiled.cost.macs > options_.max_macs) return "not run: more MACs than --max-macs";
    if (compiled.cost.weight_bytes > kBoardWeightBytes)
      return fmt::format("not run: the board holds {} B of weights", kBoardWeightBytes);
    return "";
  }

  const Options& options_;
  std::vector<PlanToMeasure> plans_;  ///< of options_.plans
  Table table_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Plans on an emulated core, as CSV", "firmware_bench"};
  app.add_option("MODEL", options.models,
                 "zoo:NAME, zoo:* for the whole zoo, .tflite files, or folders of them")
      ->required();
  app.add_option("--plan", options.plans,
                 "\"NAME[:key=value,...] [OPTION...]\", options of `thimble compile`; several: the "
                 "first is what others are compared with")
      ->allow_extra_args(false)
      ->delimiter('\0');
  app.add_option("--core", options.core, "Core that is emulated (cortex-m4)");
  app.add_option("--output", options.output, "File to write, or to complete (standard output)");
  app.add_option("--max-macs", options.max_macs, "Leave out plans with more (4,000,000,000)");
  try {
    app.parse(argc, argv);
    Bench bench(options, first_line(argc, argv, options.core));
    for (const std::string& model : model_names(options.models)) bench.run(model);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "firmware_bench: {}\n", error.what());
    return 1;
  }
}
