// SPDX-License-Identifier: Apache-2.0
// Fits the code model of a core (docs/cost.md) to what its compiler makes of kernels and of
// the code around random programs:
//   fit_code --core cortex-m4 ../shared/models/*.tflite
// writes cores/code/cortex-m4.json and bench/results/code_cortex-m4.csv: the models named, which it
// is not fitted to, whole, estimated and compiled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/code_samples.h"
#include "bench/command_line.h"
#include "bench/latency_samples.h"
#include "bench/nnls.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/uses.h"
#include "thimble/emit/working_program.h"
#include "thimble/model/error.h"

namespace {

using namespace thimble;

struct Options {
  std::string core = "cortex-m4";
  uint64_t programs = 120, groups = 140, layers = 80;
  int variants = 6;
  std::vector<std::string> models;
  std::vector<std::string> planners = {"reorder", "stream", "auto"};
  std::string folder = ".";
};

// Sections that the same kernels bring are one part.
std::vector<CodePart> fitted_parts(const std::vector<KernelSample>& kernels,
                                   const std::vector<EmittedSample>& programs) {
  std::map<std::string, std::set<std::string>> bringers;
  for (const KernelSample& sample : kernels) {
    for (const auto& [section, bytes] : sample.sections) bringers[section].insert(sample.kernel);
  }
  for (const EmittedSample& sample : programs) {
    for (const auto& [section, bytes] : sample.libraries) bringers[section].insert(kAnyProgram);
  }
  std::map<std::set<std::string>, std::set<std::string>> sections;  // by who brings them
  for (const auto& [section, by] : bringers) sections[by].insert(section);
  std::vector<CodePart> parts;
  for (const auto& [by, names] : sections) {
    CodePart part{.kernels = by};
    std::vector<std::vector<double>> rows;
    std::vector<double> bytes;
    std::vector<std::string> uses;
    for (const KernelSample& sample : kernels) {
      for (const std::string& use : sample.uses) {
        if (by.contains(sample.kernel) && std::ranges::find(uses, use) == uses.end())
          uses.push_back(use);
      }
    }
    const auto add = [&](const Sections& all, const std::set<std::string>& used) {
      double sum = 0;
      for (const std::string& name : names) {
        const auto found = all.find(name);
        if (found != all.end()) sum += static_cast<double>(found->second);
      }
      std::vector<double> row{1};
      for (const std::string& use : uses) row.push_back(used.contains(use) ? 1 : 0);
      rows.push_back(std::move(row));
      bytes.push_back(sum);
    };
    for (const KernelSample& sample : kernels) {
      if (by.contains(sample.kernel)) add(sample.sections, sample.uses);
    }
    if (by.contains(kAnyProgram)) {
      for (const EmittedSample& sample : programs) add(sample.libraries, {});
    }
    const std::vector<double> x = nonnegative_least_squares(rows, bytes);
    part.bytes = x[0];
    for (size_t k = 0; k < uses.size(); ++k) {
      if (x[k + 1] >= 1) part.uses[uses[k]] = x[k + 1];
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// Coefficients of what is counted; relative errors count.
CodeCounts fitted(const std::vector<CodeCounts>& counts, const std::vector<double>& bytes) {
  std::vector<std::vector<double>> rows;
  for (size_t s = 0; s < counts.size(); ++s) {
    std::vector<double> row(counts[s].begin(), counts[s].end());
    for (double& value : row) value /= bytes[s];
    rows.push_back(std::move(row));
  }
  const std::vector<double> x =
      nonnegative_least_squares(rows, std::vector<double>(rows.size(), 1.0));
  CodeCounts result{};
  std::ranges::copy(x, result.begin());
  return result;
}

CodeModel fit(const Options& options, CodeSampler& sampler) {
  std::vector<EmittedSample> programs;
  const ProgramVisitor visit = [&](const std::string& name, const Compiled& compiled) {
    programs.push_back(sampler.emitted_sample(name, compiled));
  };
  const Core core = core_named(options.core);
  random_programs(core, 0, options.programs, visit);
  group_programs(core, 0, options.groups, visit);
  if (core.sets.size() > 1) layer_programs(core, options.layers, visit);
  fmt::print(stderr, "{} programs compiled\n", programs.size());
  const std::vector<KernelSample> kernels = sampler.kernel_samples(options.variants, programs);
  fmt::print(stderr, "{} variants of kernels compiled\n", kernels.size());

  CodeModel model{.core = options.core, .compiler = sampler.compiler()};
  model.parts = fitted_parts(kernels, programs);
  for (const KernelSample& sample : kernels) {
    int64_t& bytes = model.kernel_stack[sample.kernel];
    bytes = std::max(bytes, sample.stack_bytes);
  }
  std::vector<CodeCounts> counts, frames;
  std::vector<double> bytes, frame_bytes;
  for (const EmittedSample& sample : programs) {
    counts.push_back(sample.code.counts);
    bytes.push_back(static_cast<double>(sample.own_bytes));
    for (size_t s = 0; s < sample.frames.size(); ++s) {
      frames.push_back(sample.code.frames[s]);
      frame_bytes.push_back(static_cast<double>(std::max<int64_t>(8, sample.frames[s])));
    }
    model.entry_stack_bytes = std::max(model.entry_stack_bytes, sample.entry_stack_bytes);
    model.table_stack_bytes = std::max(model.table_stack_bytes, sample.table_stack_bytes);
  }
  model.emitted = fitted(counts, bytes);
  for (CodeCounts& frame : frames) at(frame, CodeFeature::kData) = 0;
  model.frames = fitted(frames, frame_bytes);
  return model;
}

struct Row {
  std::string name;
  int64_t code = 0, estimated_code = 0, stack = 0, estimated_stack = 0;
};

Row row_of(const std::string& name, const Compiled& compiled, const CodeModel& model) {
  const std::vector<EmittedFile> files =
      emitted_files(compiled, {.name = name, .command = "fit_code", .also_used = {}});
  const FirmwareSize size = measure_sizes({{name, files, &compiled.program}}, model.core);
  const Program working = working_program(compiled.program);
  const Program* const programs[] = {&working};
  const ProgramCode code = program_code(compiled.graph, compiled.program);
  const CodeEstimate estimate = estimate_code({&code, 1}, used_parts(programs), model);
  Row row{name, size.code_bytes, estimate.code.bytes, size.stack_bytes, estimate.stack.bytes};
  fmt::print(stderr, "{}: code {} ({}), stack {} ({}) {}\n", name, row.code, row.estimated_code,
             row.stack, row.estimated_stack, estimate.left_out.size());
  return row;
}

std::string csv(const std::vector<Row>& rows, const std::string& command) {
  std::string text = fmt::format(
      "# {}\nprogram,code_bytes,estimated_code_bytes,code_error,stack_bytes,"
      "estimated_stack_bytes,stack_error\n",
      command);
  for (const Row& row : rows) {
    text +=
        fmt::format("{},{},{},{:.4f},{},{},{:.4f}\n", row.name, row.code, row.estimated_code,
                    static_cast<double>(row.estimated_code) / static_cast<double>(row.code) - 1,
                    row.stack, row.estimated_stack,
                    static_cast<double>(row.estimated_stack) / static_cast<double>(row.stack) - 1);
  }
  return text;
}

// Whole programs that nothing was fitted to say how far estimates are off: others may be half as
// far again.
void judge(const std::vector<Row>& rows, CodeModel& model) {
  constexpr double kOthers = 1.5;
  model.error = {.code_bytes = 256, .stack_bytes = 32};
  for (const Row& row : rows) {
    const double over = static_cast<double>(row.code - row.estimated_code);
    model.error.code_share =
        std::max(model.error.code_share, over / static_cast<double>(row.estimated_code));
    const double deeper = static_cast<double>(row.stack - row.estimated_stack);
    model.error.stack_share =
        std::max(model.error.stack_share, deeper / static_cast<double>(row.estimated_stack));
  }
  model.error.code_share *= kOthers;
  model.error.stack_share *= kOthers;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw CompileError(path, "cannot be written");
  fmt::print("wrote {}\n", path);
}

void run(const Options& options, const std::string& command) {
  CodeSampler sampler(options.core);
  CodeModel model = fit(options, sampler);
  std::vector<Row> rows;
  const ProgramVisitor visit = [&](const std::string& name, const Compiled& compiled) {
    rows.push_back(row_of(name, compiled, model));
  };
  const Core core = core_named(options.core);
  group_programs(core, 100'000, 100'014, visit);
  model_programs(core, options.models, options.planners, visit);
  judge(rows, model);
  write(options.folder + "/cores/code/" + options.core + ".json", code_model_json(model, command));
  write(options.folder + "/bench/results/code_" + options.core + ".csv", csv(rows, command));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"fit_code", "Fits a core's code model to what its compiler makes"};
  line.add("MODEL", &options.models, "Models that it is judged by");
  line.add("--core", &options.core, "Core to compile for (cortex-m4)");
  line.add("--programs", &options.programs, "Random programs (120)");
  line.add("--groups", &options.groups, "Random groups of all tilings (140)");
  line.add("--layers", &options.layers,
           "Random layers, on cores whose instruction sets have kernels for them (80)");
  line.add("--variants", &options.variants,
           "Of each kernel, with random choices of what is used of it (6)");
  line.add("--planner", &options.planners, "Planners of the models");
  line.add("--folder", &options.folder, "The repository (.)");
  return line.run(argc, argv, [&] {
    run(options, line.command());
    return 0;
  });
}
