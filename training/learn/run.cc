// SPDX-License-Identifier: Apache-2.0
#include "training/learn/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "thimble/export/tflite.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/quantise/quantise.h"
#include "training/learn/checkpoint.h"
#include "training/learn/epochs.h"
#include "training/learn/gates.h"
#include "training/learn/integer_network.h"
#include "training/learn/network.h"
#include "training/learn/picture.h"
#include "training/learn/quantised_forward.h"
#include "training/learn/results.h"
#include "training/learn/shrink.h"

namespace thimble::training {
namespace {

constexpr double kPruneShare = 0.7;  ///< of the stage that prunes: in it the budget tightens
constexpr size_t kSamplesOfSums = 512, kSamplesAtATime = 64;
constexpr double kWarmUp = 0.03;  ///< of a stage, in which the rate grows

/// The most that each stage learns at, beside the request's rate.
constexpr double kRates[kStages] = {1, 0.2, 0.4, 0.2};

/// Networks without normalisations, whose weights are of all magnitudes, learn by Adam in ratio to
/// these: at so much of that.
constexpr double kAdamRate = 0.2;

/// A rise, then half a cosine.
double rate_at(double progress) {
  if (progress < kWarmUp) return progress / kWarmUp;
  return 0.5 * (1 + std::cos(std::numbers::pi * (progress - kWarmUp) / (1 - kWarmUp)));
}

/// The magnitude of numbers of a tensor.
double size_of(const torch::Tensor& tensor) {
  constexpr double kOfZeros = 1e-3;  // biases begin with 0
  return std::max(kOfZeros, tensor.detach().square().mean().sqrt().item<double>());
}

class Run {
 public:
  explicit Run(RunRequest request)
      : request_(std::move(request)),
        channels_(request_.graph),
        compiler_(request_.graph, channels_, request_.plan),
        quick_(request_.graph, channels_, quick(request_.plan)),
        kept_(all_kept(channels_)) {}

  std::optional<RunResult> run();

 private:
  using Clock = std::chrono::steady_clock;
  class Questions;

  [[nodiscard]] std::filesystem::path file(const char* of) const { return request_.folder / of; }
  [[nodiscard]] int64_t epochs(Stage stage) const {
    return request_.epochs[static_cast<size_t>(stage)];
  }
  [[nodiscard]] bool normalises(Stage stage) const {
    return stage < Stage::kQuantise && !request_.trained;
  }
  [[nodiscard]] double rate(Stage stage, double progress) const;
  [[nodiscard]] bool prunes() const { return request_.budget.any(); }
  void begin();
  void make_network(Stage stage);
  [[nodiscard]] bool pass_stage(Stage stage);
  [[nodiscard]] bool learn_epochs(Stage stage);
  void end_prune();
  void see_samples(bool ranges);
  void close_channels(double before, double progress);
  [[nodiscard]] NamedTensors gate_tensors();
  [[nodiscard]] NamedTensors extra_tensors();
  void step(Stage stage, double progress);
  void save(Stage stage, int64_t epoch);
  void restore_stage(Stage stage);
  [[nodiscard]] Taps taps(Stage stage, bool learning);
  [[nodiscard]] Footprint asked(const Kept& kept);
  [[nodiscard]] RunResult results();

  RunRequest request_;
  Channels channels_;  ///< of the graph as it came
  Compiler compiler_;
  Compiler quick_;  ///< asked behind each batch
  Kept kept_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Gates> gates_;
  std::unique_ptr<QuantisedForward> quantised_;
  std::unique_ptr<torch::optim::Optimizer> descent_;
  std::unique_ptr<torch::optim::Adam> adam_;  ///< of scales of narrow sums
  /// At which their logarithms learn: they move by less than 1 in all, else what saturates for a
  /// while carries them away.
  double scale_rate_ = 0;
  std::optional<Checkpoint> resumed_;
  Curve curve_;
  double question_seconds_ = 0;
  RunResult result_;
};

/// Counts the time in which the compiler answers.
class Run::Questions {
 public:
  explicit Questions(double& seconds) : seconds_(seconds) {}
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  double& seconds_;
  Clock::time_point begin_ = Clock::now();
};

Footprint Run::asked(const Kept& kept) {
  const Questions questions(question_seconds_);
  return compiler_.footprint(kept);
}

/// Names of tensors that are not the network's.
NamedTensors Run::gate_tensors() {
  NamedTensors all;
  for (size_t g = 0; g < gates_->gates().size(); ++g) {
    all[fmt::format("gate{}", g)] = gates_->gates()[g];
    all[fmt::format("worth{}", g)] = gates_->averages()[g];
  }
  return all;
}

NamedTensors Run::extra_tensors() {
  NamedTensors all;
  if (gates_) all = gate_tensors();
  if (quantised_) {
    for (auto& [name, accumulator] : quantised_->accumulators()) {
      all["sums_scale/" + name] = accumulator.log_scale;
      all["sums_zero/" + name] = accumulator.zero_point;
    }
  }
  return all;
}

void Run::make_network(Stage stage) {
  const bool smaller = stage >= Stage::kTune && prunes();
  Graph graph = smaller ? without_channels(request_.graph, channels_, kept_) : request_.graph;
  gates_.reset();
  quantised_.reset();
  adam_.reset();
  network_ = std::make_unique<Network>(std::move(graph), normalises(stage));
}

void Run::begin() {
  compiler_.check_possible(request_.budget);
  const std::string config = request_.text + '\n';
  if (!request_.resume) write_file(file("config.json"), std::array{std::string_view(config)});
  result_.before = asked(kept_);
  if (request_.resume) {
    resumed_ = Checkpoint::load(file("checkpoint.pt"));
    if (resumed_->request != request_.text) {
      throw CompileError("--resume",
                         fmt::format("the run in {} was asked for otherwise:\n  then {}\n  now  {}",
                                     request_.folder.string(), resumed_->request, request_.text));
    }
    curve_ = resumed_->curve;
    if (!resumed_->kept.empty()) kept_ = resumed_->kept;
  }
}

void Run::restore_stage(Stage stage) {
  const std::string where = file("checkpoint.pt").string();
  restore(resumed_->tensors, network_->parameters(), "parameter/", where);
  restore(resumed_->tensors, network_->statistics(), "statistic/", where);
  restore(resumed_->tensors, extra_tensors(), "extra/", where);
  if (stage == Stage::kQuantise) restore_ranges(resumed_->tensors, *quantised_, where);
  set_state(*descent_, resumed_->optimisers.at(0), where);
  if (adam_) set_state(*adam_, resumed_->optimisers.at(1), where);
}

void Run::save(Stage stage, int64_t epoch) {
  Checkpoint checkpoint{.request = request_.text,
                        .stage = static_cast<int64_t>(stage),
                        .epoch = epoch,
                        .kept = kept_,
                        .tensors = {},
                        .optimisers = {state_of(*descent_)},
                        .curve = curve_};
  keep(checkpoint.tensors, network_->parameters(), "parameter/");
  keep(checkpoint.tensors, network_->statistics(), "statistic/");
  keep(checkpoint.tensors, extra_tensors(), "extra/");
  if (quantised_) keep_ranges(checkpoint.tensors, *quantised_);
  if (adam_) checkpoint.optimisers.push_back(state_of(*adam_));
  checkpoint.save(file("checkpoint.pt"));
  if (stage == Stage::kOrdinary && epoch == epochs(stage)) checkpoint.save(file("ordinary.pt"));
  const std::string text = csv(curve_);
  write_file(file("curve.csv"), std::array{std::string_view(text)});
}

Taps Run::taps(Stage stage, bool learning) {
  if (stage == Stage::kPrune) {
    return {.activation = [this](TensorId t, const torch::Tensor& x) { return gates_->tap(t, x); }};
  }
  if (stage == Stage::kQuantise) return quantised_->taps(learning);
  return {};
}

/// Channels close as the budget tightens: a few times in a batch, so that the network
/// can follow.
void Run::close_channels(double before, double progress) {
  constexpr double kUntilWorths = 0.05;  // of the stage: then there are some
  constexpr double kExchanges = 20;      // times in the stage
  constexpr size_t kTimesABatch = 4;
  gates_->learn();
  if (progress < kUntilWorths) return;
  const Questions questions(question_seconds_);
  if (progress < kPruneShare &&
      std::floor(before * kExchanges) < std::floor(progress * kExchanges)) {
    gates_->exchange();
    quick_.adjust_to(compiler_, gates_->kept());
  }
  const Budget now = request_.budget.on_the_way(
      result_.before, (progress - kUntilWorths) / (kPruneShare - kUntilWorths));
  gates_->keep(quick_.trimmed(gates_->kept(), now, gates_->worths(), kTimesABatch));
}

double Run::rate(Stage stage, double progress) const {
  return request_.rate * kRates[static_cast<size_t>(stage)] * (normalises(stage) ? 1 : kAdamRate) *
         rate_at(progress);
}

void Run::step(Stage stage, double progress) {
  const double rate = this->rate(stage, progress);
  for (torch::optim::OptimizerParamGroup& group : descent_->param_groups())
    group.options().set_lr(normalises(stage) ? rate : rate * size_of(group.params().at(0)));
  descent_->step();
  descent_->zero_grad();
  if (!adam_) return;
  for (torch::optim::OptimizerParamGroup& group : adam_->param_groups())
    group.options().set_lr(scale_rate_ * rate_at(progress));
  adam_->step();
  adam_->zero_grad();
}

bool Run::learn_epochs(Stage stage) {
  const int64_t all = epochs(stage);
  int64_t done = 0;
  if (resumed_) {
    done = resumed_->epoch;
    restore_stage(stage);
    resumed_.reset();
  }
  const PassOptions options{.data = request_.data,
                            .batch = request_.batch,
                            .seed = request_.seed,
                            .smoothing = stage == Stage::kQuantise ? 0.0 : 0.1};
  for (int64_t epoch = done; epoch < all; ++epoch) {
    if (gates_) {
      const Questions questions(question_seconds_);
      quick_.adjust_to(compiler_, gates_->kept());
    }
    double progress = static_cast<double>(epoch) / static_cast<double>(all);
    // Ranges stand still in the last third, so that weights can settle.
    const Taps with = taps(stage, 3 * epoch < 2 * all || epoch == 0);
    const auto after = [&](int64_t batch, int64_t of) {
      const double before = progress;
      progress =
          (static_cast<double>(epoch) + static_cast<double>(batch + 1) / static_cast<double>(of)) /
          static_cast<double>(all);
      step(stage, progress);
      if (gates_) close_channels(before, progress);
      return !request_.progress || request_.progress({stage, epoch + 1, all, batch + 1, of});
    };
    const Pass pass = learn(*network_, with, options, static_cast<uint64_t>(stage),
                            static_cast<uint64_t>(epoch), after);
    if (pass.stopped) return false;
    const Footprint now = asked(stage == Stage::kPrune ? gates_->kept() : kept_);
    const double test = accuracy(*network_, taps(stage, false), request_.data.test);
    curve_.push_back({name(stage), epoch + 1, rate(stage, progress), pass.loss, pass.accuracy, test,
                      now.arena_bytes, now.weight_bytes, now.macs});
    if (request_.say) {
      request_.say(
          fmt::format("{} {}/{}: loss {:.4f}, right {:.2f} % of those learnt from, {:.2f} % "
                      "of the others; {}",
                      name(stage), epoch + 1, all, pass.loss, 100 * pass.accuracy, 100 * test,
                      to_string(now, request_.budget)));
    }
    save(stage, epoch + 1);
  }
  return true;
}

/// The channels that stay are chosen; the smaller network goes on with what was learnt.
void Run::end_prune() {
  const Questions questions(question_seconds_);
  if (gates_) {
    kept_ = compiler_.trimmed(gates_->kept(), request_.budget, gates_->worths());
  } else {
    const std::vector<std::vector<float>> sizes = magnitudes(channels_, *network_);
    kept_ = request_.pruning == Pruning::kUniform
                ? uniform(compiler_, channels_, request_.budget, sizes)
                : by_chance(compiler_, channels_, request_.budget, request_.seed);
    kept_ = compiler_.trimmed(kept_, request_.budget, sizes);
  }
  const std::unique_ptr<Network> large = std::move(network_);
  make_network(Stage::kTune);
  shrink(*large, channels_, kept_, *network_);
}

/// Scales of narrow sums, and ranges of activations if they are asked for, make room for what the
/// network computes of some samples.
void Run::see_samples(bool ranges) {
  const Examples& train = request_.data.train;
  const torch::NoGradGuard guard;
  quantised_->observe_sums(true);
  const Taps with = quantised_->taps(ranges);
  const size_t count = std::min<size_t>(train.size(), kSamplesOfSums);
  for (size_t begin = 0; begin < count; begin += kSamplesAtATime) {
    const size_t some = std::min(kSamplesAtATime, count - begin);
    (void)network_->scores(network_->batch(plain_samples(train, begin, some)), false, with);
  }
  quantised_->observe_sums(false);
}

bool Run::pass_stage(Stage stage) {
  const auto number = static_cast<int64_t>(stage);
  if (resumed_ && resumed_->stage > number) return true;
  const bool is_first = network_ == nullptr;
  switch (stage) {
    case Stage::kOrdinary:
      make_network(stage);
      if (!request_.trained) network_->initialise(request_.seed);
      if (!request_.from.empty() && !resumed_) {
        const std::filesystem::path from = request_.from / "ordinary.pt";
        const Checkpoint learnt = Checkpoint::load(from);
        restore(learnt.tensors, network_->parameters(), "parameter/", from.string());
        restore(learnt.tensors, network_->statistics(), "statistic/", from.string());
        curve_ = learnt.curve;
      }
      break;
    case Stage::kPrune:
      if (!prunes()) return true;
      if (is_first) make_network(stage);
      if (request_.pruning == Pruning::kLearnt)
        gates_ = std::make_unique<Gates>(channels_, *network_);
      break;
    case Stage::kTune:
      if (!prunes()) return true;
      if (is_first) make_network(stage);
      break;
    case Stage::kQuantise:
      if (is_first) {
        make_network(stage);
      } else {
        network_ = std::make_unique<Network>(network_->learnt_graph(), false);
      }
      quantised_ = std::make_unique<QuantisedForward>(
          network_->graph(), request_.learn_sums ? accumulators_of(network_->graph(), request_.plan)
                                                 : LearntAccumulators());
      see_samples(true);
      break;
  }
  std::vector<torch::Tensor> weights, others, further;
  for (const auto& [key, tensor] : network_->parameters())
    (tensor.dim() >= 2 ? weights : others).push_back(tensor);
  if (!normalises(stage)) {
    std::vector<torch::optim::OptimizerParamGroup> groups;
    for (const auto& [key, tensor] : network_->parameters())
      groups.emplace_back(std::vector{tensor}, std::make_unique<torch::optim::AdamOptions>());
    descent_ = std::make_unique<torch::optim::Adam>(groups);
  } else {
    const auto sgd = torch::optim::SGDOptions(request_.rate).momentum(0.9).nesterov(true);
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(weights, std::make_unique<torch::optim::SGDOptions>(
                                     torch::optim::SGDOptions(sgd).weight_decay(request_.decay)));
    groups.emplace_back(others, std::make_unique<torch::optim::SGDOptions>(sgd));
    descent_ = std::make_unique<torch::optim::SGD>(groups, sgd);
  }
  if (quantised_) {
    for (auto& [name, sums] : quantised_->accumulators()) further.push_back(sums.log_scale);
  }
  if (!further.empty()) {
    const auto steps = static_cast<double>(std::max<int64_t>(
        1, epochs(stage) * (static_cast<int64_t>(request_.data.train.size()) / request_.batch)));
    adam_ = std::make_unique<torch::optim::Adam>(
        further, torch::optim::AdamOptions(scale_rate_ = std::clamp(1 / steps, 1e-4, 0.02)));
  }
  const bool taken = stage == Stage::kOrdinary && !request_.from.empty();
  const bool chosen = stage == Stage::kPrune && request_.pruning != Pruning::kLearnt;
  if (!taken && !chosen && !learn_epochs(stage)) return false;
  if (stage == Stage::kPrune) end_prune();
  return true;
}

RunResult Run::results() {
  for (const CurvePoint& point : curve_)
    if (point.stage == name(Stage::kOrdinary)) result_.ordinary_accuracy = point.test_accuracy;
  const Graph graph = network_->learnt_graph();
  Network plain(graph, false);
  result_.float_accuracy = accuracy(plain, {}, request_.data.test);
  const Graph made = quantised(graph, quantised_->ranges()).graph;
  if (!request_.learn_sums) {
    quantised_->accumulators() = accumulators_of(network_->graph(), request_.plan);
    see_samples(false);
  }
  const AccumulatorScales scales = learnt_scales(quantised_->accumulators());
  const PlanAccuracy of =
      plan_accuracy(made, request_.plan, scales, request_.data.test, request_.emitted_samples);
  result_.int8_accuracy = of.int8;
  result_.emitted_accuracy = of.emitted;
  result_.emitted_samples = of.samples;
  result_.narrow_sums = of.narrow_sums;
  result_.after = asked(kept_);
  result_.questions = compiler_.questions() + quick_.questions();
  result_.question_seconds = question_seconds_;
  write_tflite(graph, file("float.tflite"));
  write_tflite(made, file("int8.tflite"));
  if (!scales.empty()) {
    const std::string sums = to_json(scales);
    write_file(file("accumulators.json"), std::array{std::string_view(sums)});
  }
  std::string labels;
  for (const std::string& label : request_.data.classes) labels += label + '\n';
  write_file(file("labels.txt"), std::array{std::string_view(labels)});
  const std::string text = result_json(result_, request_);
  write_file(file("result.json"), std::array{std::string_view(text)});
  result_.has_picture = draw_curve(request_.folder);
  return result_;
}

std::optional<RunResult> Run::run() {
  begin();
  for (const Stage stage : {Stage::kOrdinary, Stage::kPrune, Stage::kTune, Stage::kQuantise}) {
    if (!pass_stage(stage)) return std::nullopt;
  }
  return results();
}

}  // namespace

const char* name(Stage stage) {
  constexpr const char* kNames[kStages] = {"ordinary", "prune", "tune", "quantise"};
  return kNames[static_cast<size_t>(stage)];
}

std::optional<RunResult> run(RunRequest request) { return Run(std::move(request)).run(); }

}  // namespace thimble::training
