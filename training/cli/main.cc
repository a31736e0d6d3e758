// SPDX-License-Identifier: Apache-2.0
// thimble-train NETWORK DATA -o FOLDER
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "thimble/cli/progress_line.h"
#include "thimble/driver/source.h"
#include "thimble/model/error.h"
#include "thimble/search/parallel.h"
#include "thimble/target/core.h"
#include "thimble/target/size.h"
#include "training/data/read_dataset.h"
#include "training/learn/run.h"
#include "training/learn/threads.h"
#include "zoo/zoo.h"

namespace thimble::training {
namespace {

constexpr int kDone = 0, kFault = 1, kBug = 3, kStopped = 130;

std::atomic<bool> interrupted = false;

struct Options {
  std::string network, data, folder, sram, weights, planner = "auto", pruning = "learnt",
                                                    sums = "learnt", from, core;
  std::optional<int64_t> macs;
  std::optional<double> max_latency;
  std::vector<std::string> test_speakers;
  std::array<int64_t, kStages> epochs = {20, 12, 10, 6};
  double rate = 0.05, decay = 5e-4, white = 1;
  int64_t batch = 64, limit = 0, threads = 0, variants = 8, emitted = 0;
  uint64_t seed = 1;
  bool resume = false;
};

/// Whatever the results depend on.
std::string config_json(const Options& o) {
  const nlohmann::ordered_json config{{"network", o.network},
                                      {"data", std::filesystem::path(o.data).filename().string()},
                                      {"limit", o.limit},
                                      {"white", o.white},
                                      {"variants", o.variants},
                                      {"test_speakers", o.test_speakers},
                                      {"sram", o.sram},
                                      {"weights", o.weights},
                                      {"macs", o.macs.value_or(0)},
                                      {"planner", o.planner},
                                      {"core", o.core},
                                      {"max_latency", o.max_latency.value_or(0)},
                                      {"pruning", o.pruning},
                                      {"sums", o.sums},
                                      {"from", o.from},
                                      {"epochs", o.epochs},
                                      {"rate", o.rate},
                                      {"decay", o.decay},
                                      {"batch", o.batch},
                                      {"seed", o.seed}};
  return config.dump();
}

int64_t size_of(const std::string& text, const char* option) {
  try {
    return parse_size(text);
  } catch (const CompileError& fault) {
    throw CompileError(option, fault.what());
  }
}

Graph network_of(const Options& options) {
  constexpr std::string_view kZoo = "zoo:";
  if (options.network.starts_with(kZoo))
    return build_zoo_float(options.network.substr(kZoo.size()));
  return load(options.network).graph;
}

Dataset data_of(const Options& options, const Graph& graph, int jobs) {
  Shape shape = graph.tensor(graph.inputs.at(0).tensor).shape;
  if (shape.empty() || shape[0] != 1)
    throw CompileError(options.network,
                       "takes no single sample: its input is " + thimble::to_string(shape));
  shape.erase(shape.begin());
  ProgressLine line("reading samples");
  Dataset data = read_dataset({.path = options.data,
                               .shape = shape,
                               .test_speakers = options.test_speakers,
                               .white = options.white,
                               .limit = options.limit,
                               .variants = static_cast<size_t>(options.variants),
                               .jobs = jobs,
                               .progress = [&](size_t done, size_t of) {
                                 line.show(fmt::format("reading samples, {} of {}", done, of));
                                 return !interrupted;
                               }});
  const int64_t scores = graph.tensor(graph.outputs.at(0).tensor).shape.back();
  const auto classes = static_cast<int64_t>(data.classes.size());
  if (scores != classes) {
    throw CompileError(options.network,
                       fmt::format("scores {} classes, {} has {}: many of the zoo's networks take "
                                   "another number, as in zoo:ds_cnn_s:classes={}",
                                   scores, options.data, classes, classes));
  }
  return data;
}

/// A line for the terminal with the time that is left of a stage.
class Countdown {
 public:
  bool operator()(const Progress& p) {
    const auto now = Clock::now();
    if (p.stage != stage_ || first_) {
      first_ = false;
      stage_ = p.stage;
      begin_ = now;
      before_ = (p.epoch - 1) * p.batches + p.batch - 1;
    }
    const int64_t done = (p.epoch - 1) * p.batches + p.batch, all = p.epochs * p.batches;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    const double left = spent / static_cast<double>(std::max<int64_t>(1, done - before_)) *
                        static_cast<double>(all - done);
    line_.show(fmt::format("{}, epoch {} of {}, batch {} of {}, {:.0f} s left of the stage",
                           name(p.stage), p.epoch, p.epochs, p.batch, p.batches, left));
    return !interrupted;
  }

 private:
  using Clock = std::chrono::steady_clock;
  ProgressLine line_{"training"};
  Stage stage_ = Stage::kOrdinary;
  bool first_ = true;
  Clock::time_point begin_;
  int64_t before_ = 0;  ///< batches of an earlier run
};

void print(const RunResult& result, const Options& options) {
  const auto cost = [](const char* what, const Footprint& of) {
    fmt::print("  {:<10} arena {} B, weights {} B, {} MACs\n", what, of.arena_bytes,
               of.weight_bytes, of.macs);
  };
  fmt::print("{}: planner {}\n", options.folder, options.planner);
  cost("as it came", result.before);
  cost("as written", result.after);
  if (result.ordinary_accuracy)
    fmt::print("  {:<10} {:.2f} % right as it came, in float32\n", "",
               100 * *result.ordinary_accuracy);
  fmt::print(
      "  {:<10} {:.2f} % right in float32, {:.2f} % in int8, {:.2f} % of the emitted program\n", "",
      100 * result.float_accuracy, 100 * result.int8_accuracy, 100 * result.emitted_accuracy);
  fmt::print("  {:<10} the compiler was asked {} times, in {:.1f} s\n", "", result.questions,
             result.question_seconds);
  if (!result.has_picture)
    fmt::print("  {:<10} no picture of curve.csv: gnuplot (gnuplot-nox) draws it\n", "");
}

int train(const Options& options) {
  const int threads = options.threads > 0 ? static_cast<int>(options.threads) : all_cores();
  set_threads(threads);
  RunRequest request{.graph = network_of(options), .data = {}};
  request.trained = !options.network.starts_with("zoo:");
  request.network = options.network;
  request.folder = options.folder;
  if (!options.sram.empty()) request.budget.sram_bytes = size_of(options.sram, "--sram");
  if (!options.weights.empty()) request.budget.weight_bytes = size_of(options.weights, "--weights");
  request.budget.macs = options.macs;
  request.plan.planner = options.planner;
  request.plan.max_latency = options.max_latency;
  if (!options.core.empty()) request.plan.target.core = core_named(options.core);
  request.pruning = options.pruning == "learnt"    ? Pruning::kLearnt
                    : options.pruning == "uniform" ? Pruning::kUniform
                                                   : Pruning::kByChance;
  request.learn_sums = options.sums == "learnt";
  request.emitted_samples = options.emitted;
  request.epochs = options.epochs;
  request.rate = options.rate;
  request.decay = options.decay;
  request.batch = options.batch;
  request.seed = options.seed;
  request.resume = options.resume;
  request.from = options.from;
  request.text = config_json(options);
  std::error_code fault;
  std::filesystem::create_directories(options.folder, fault);
  if (fault) throw CompileError(options.folder, "cannot be made: " + fault.message());
  if (!options.resume && std::filesystem::exists(request.folder / "checkpoint.pt")) {
    throw CompileError(options.folder,
                       "has a run already: go on with --resume, or name another folder");
  }
  request.data = data_of(options, request.graph, threads);
  request.say = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  auto countdown = std::make_shared<Countdown>();
  request.progress = [countdown](const Progress& progress) { return (*countdown)(progress); };
  const std::optional<RunResult> result = run(std::move(request));
  countdown.reset();
  if (!result) {
    fmt::print(stderr, "thimble-train: stopped; --resume goes on from the last epoch that ended\n");
    return kStopped;
  }
  print(*result, options);
  return kDone;
}

void add_options(CLI::App& app, Options& o) {
  app.add_option("NETWORK", o.network, "zoo:NAME (see `thimble zoo`), or a float .tflite")
      ->required();
  app.add_option("DATA", o.data,
                 "A folder of the user's with a folder for each class, or train/ and test/ with "
                 "these; CIFAR-10's or the spoken digits' archives")
      ->required();
  app.add_option("-o,--output", o.folder, "Folder of the results")->required();
  app.add_option("--sram", o.sram, "Most SRAM for the arena: 16K, 8192");
  app.add_option("--weights", o.weights, "Most bytes of weights in int8: 64K");
  app.add_option("--macs", o.macs, "Most multiply-accumulates of an inference")
      ->check(CLI::PositiveNumber);
  app.add_option("--planner", o.planner, "Whose plans are asked for, as of `thimble plan` (auto)");
  app.add_option("--core", o.core, "Core that plans are for, as of `thimble plan`");
  app.add_option("--max-latency", o.max_latency,
                 "Of planner auto: most instructions, as a ratio of the fastest plan's");
  app.add_option("--pruning", o.pruning,
                 "Channels that go: learnt; uniform, the same share of each layer; by-chance")
      ->check(CLI::IsMember({"learnt", "uniform", "by-chance"}));
  app.add_option("--sums", o.sums,
                 "Scales of sums of 16 or 8 bits: learnt; or seen, of what the network sums "
                 "when it is trained")
      ->check(CLI::IsMember({"learnt", "seen"}));
  app.add_option("--from", o.from,
                 "Folder of a run of this network and data whose first stage is taken");
  app.add_option("--epochs", o.epochs[0], "Of ordinary training (20)")
      ->check(CLI::Range(0, 100000));
  app.add_option("--prune-epochs", o.epochs[1], "In which channels learn (12)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--tune-epochs", o.epochs[2], "Of the smaller network (10)")
      ->check(CLI::Range(0, 100000));
  app.add_option("--quantise-epochs", o.epochs[3], "With the rounding of int8 (6)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--rate", o.rate, "Of learning, at most (0.05)")->check(CLI::PositiveNumber);
  app.add_option("--decay", o.decay, "Of weights (0.0005)")->check(CLI::NonNegativeNumber);
  app.add_option("--batch", o.batch, "Samples of a step (64)")->check(CLI::Range(2, 65536));
  app.add_option("--seed", o.seed, "Of all that is left to chance (1)");
  app.add_option("--threads", o.threads, "All cores without it")->check(CLI::Range(1, 1024));
  app.add_option("--limit", o.limit, "Most samples of a class, for a trial")
      ->check(CLI::PositiveNumber);
  app.add_option("--emitted-samples", o.emitted,
                 "Most samples of the test that the emitted program runs (all)")
      ->check(CLI::PositiveNumber);
  app.add_option("--white", o.white,
                 "What the brightest pixel is to the network: 255 for many float .tflite (1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--variants", o.variants, "Of each sound, changed by chance (8)")
      ->check(CLI::Range(1, 64));
  app.add_option("--test-speakers", o.test_speakers, "Who is not learnt from, of spoken digits");
  app.add_flag("--resume", o.resume, "Go on with the run in the folder");
}

int guarded(const Options& options) {
  try {
    return train(options);
  } catch (const CompileError& fault) {
    fmt::print(stderr, "thimble-train: {}\n", fault.what());
    return kFault;
  } catch (const std::exception& bug) {
    fmt::print(stderr, "thimble-train: a fault of the program itself: {}\n", bug.what());
    return kBug;
  }
}

}  // namespace
}  // namespace thimble::training

int main(int argc, char** argv) {
  using namespace thimble::training;
  let_threads_sleep(argv);
  CLI::App app("Trains networks for the plans that they will have on a microcontroller",
               "thimble-train");
  Options options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });
  return guarded(options);
}
