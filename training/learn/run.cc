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
#include "training/learn/quantised_forward.h"
#include "training/learn/results.h"
#include "training/learn/shrink.h"

namespace thimble::training {
namespace {

constexpr int64_t kBatchesAQuestion = 8;  ///< of a stage that prunes
constexpr double kPruneShare = 0.7;       ///< of that stage in which the budget tightens
constexpr double kPressure = 0.1;         ///< beside the gradients of a channel
constexpr double kWarmUp = 0.03;          ///< of a stage, in which the rate grows

/// The most that each stage learns at, beside the request's rate.
constexpr double kRates[kStages] = {1, 0.2, 0.4, 0.05};

/// A rise, then half a cosine.
double rate_at(double progress) {
  if (progress < kWarmUp) return progress / kWarmUp;
  return 0.5 * (1 + std::cos(std::numbers::pi * (progress - kWarmUp) / (1 - kWarmUp)));
}

class Run {
 public:
  explicit Run(RunRequest request)
      : request_(std::move(request)),
        channels_(request_.graph),
        compiler_(request_.graph, channels_, request_.plan),
        kept_(all_kept(channels_)) {}

  std::optional<RunResult> run();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::filesystem::path file(const char* of) const { return request_.folder / of; }
  [[nodiscard]] int64_t epochs(Stage stage) const {
    return request_.epochs[static_cast<size_t>(stage)];
  }
  [[nodiscard]] bool prunes() const { return request_.budget.any(); }
  void begin();
  void make_network(Stage stage);
  [[nodiscard]] bool pass_stage(Stage stage);
  [[nodiscard]] bool learn_epochs(Stage stage);
  void end_prune();
  [[nodiscard]] torch::Tensor pressed(double progress);
  [[nodiscard]] NamedTensors gate_tensors();
  [[nodiscard]] NamedTensors extra_tensors();
  void step(Stage stage, double progress);
  void save(Stage stage, int64_t epoch);
  void restore_stage(Stage stage);
  [[nodiscard]] Taps taps(Stage stage, bool learning);
  [[nodiscard]] const Footprint& asked(const Kept& kept);
  [[nodiscard]] RunResult results();

  RunRequest request_;
  Channels channels_;  ///< of the graph as it came
  Compiler compiler_;
  Kept kept_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Gates> gates_;
  std::unique_ptr<QuantisedForward> quantised_;
  std::unique_ptr<torch::optim::SGD> descent_;
  std::unique_ptr<torch::optim::Adam> adam_;  ///< of gates and scales
  std::optional<Checkpoint> resumed_;
  Curve curve_;
  std::vector<double> pressure_;
  int64_t batches_ = 0;
  double question_seconds_ = 0;
  RunResult result_;
};

const Footprint& Run::asked(const Kept& kept) {
  const Clock::time_point begin = Clock::now();
  const Footprint& footprint = compiler_.footprint(kept);
  question_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
  return footprint;
}

/// Names of tensors that are not the network's.
NamedTensors Run::gate_tensors() {
  NamedTensors all;
  for (size_t g = 0; g < gates_->importances().size(); ++g) {
    all[fmt::format("importance{}", g)] = gates_->importances()[g];
    all[fmt::format("threshold{}", g)] = gates_->thresholds()[g];
  }
  return all;
}

NamedTensors Run::extra_tensors() {
  NamedTensors all;
  if (gates_) all = gate_tensors();
  return all;
}

void Run::make_network(Stage stage) {
  const bool smaller = stage >= Stage::kTune && prunes();
  Graph graph = smaller ? without_channels(request_.graph, channels_, kept_) : request_.graph;
  gates_.reset();
  quantised_.reset();
  adam_.reset();
  network_ =
      std::make_unique<Network>(std::move(graph), stage < Stage::kQuantise && !request_.trained);
}

void Run::begin() {
  compiler_.check_possible(request_.budget);
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

/// What makes channels close that the budget has no room for.
torch::Tensor Run::pressed(double progress) {
  if (batches_++ % kBatchesAQuestion == 0) {
    const Budget now = request_.budget.on_the_way(result_.before, progress / kPruneShare);
    const Clock::time_point begin = Clock::now();
    pressure_ = compiler_.pressure(gates_->kept(), now);
    question_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  const double most = std::ranges::max(pressure_);
  if (most <= 0) return {};
  torch::Tensor sum = torch::zeros({});
  const std::vector<torch::Tensor> widths = gates_->widths();
  for (size_t g = 0; g < widths.size(); ++g)
    if (pressure_[g] > 0) sum = sum + widths[g] * (kPressure * pressure_[g] / most);
  return sum;
}

void Run::step(Stage stage, double progress) {
  const double rate = request_.rate * kRates[static_cast<size_t>(stage)] * rate_at(progress);
  for (torch::optim::OptimizerParamGroup& group : descent_->param_groups())
    static_cast<torch::optim::SGDOptions&>(group.options()).lr(rate);
  descent_->step();
  descent_->zero_grad();
  if (!adam_) return;
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
    batches_ = 0;  // so that a run that goes on asks when this one would have
    double progress = static_cast<double>(epoch) / static_cast<double>(all);
    // Ranges stand still in the last third, so that weights can settle.
    const Taps with = taps(stage, 3 * epoch < 2 * all || epoch == 0);
    std::function<torch::Tensor()> extra;
    if (stage == Stage::kPrune) extra = [&] { return pressed(progress); };
    const auto after = [&](int64_t batch, int64_t of) {
      progress =
          (static_cast<double>(epoch) + static_cast<double>(batch + 1) / static_cast<double>(of)) /
          static_cast<double>(all);
      step(stage, progress);
      return !request_.progress || request_.progress({stage, epoch + 1, all, batch + 1, of});
    };
    const Pass pass = learn(*network_, with, options, static_cast<uint64_t>(stage),
                            static_cast<uint64_t>(epoch), extra, after);
    if (pass.stopped) return false;
    const Footprint now = asked(stage == Stage::kPrune ? gates_->kept() : kept_);
    const double test = accuracy(*network_, taps(stage, false), request_.data.test);
    curve_.push_back({name(stage), epoch + 1,
                      request_.rate * kRates[static_cast<size_t>(stage)] * rate_at(progress),
                      pass.loss, pass.accuracy, test, now.arena_bytes, now.weight_bytes, now.macs});
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
  std::vector<std::vector<float>> margins;
  if (gates_) {
    margins = gates_->margins();
    kept_ = compiler_.trimmed(gates_->kept(), request_.budget, margins);
  } else {
    margins = Gates(channels_, *network_).margins();
    kept_ = request_.pruning == Pruning::kUniform
                ? uniform(compiler_, channels_, request_.budget, margins)
                : by_chance(compiler_, channels_, request_.budget, request_.seed);
    kept_ = compiler_.trimmed(kept_, request_.budget, margins);
  }
  const std::unique_ptr<Network> large = std::move(network_);
  make_network(Stage::kTune);
  shrink(*large, channels_, kept_, *network_);
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
      quantised_ = std::make_unique<QuantisedForward>(network_->graph());
      break;
  }
  std::vector<torch::Tensor> weights, others, further;
  for (const auto& [key, tensor] : network_->parameters())
    (tensor.dim() >= 2 ? weights : others).push_back(tensor);
  const auto sgd = torch::optim::SGDOptions(request_.rate).momentum(0.9).nesterov(true);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(weights, std::make_unique<torch::optim::SGDOptions>(
                                   torch::optim::SGDOptions(sgd).weight_decay(request_.decay)));
  groups.emplace_back(others, std::make_unique<torch::optim::SGDOptions>(sgd));
  descent_ = std::make_unique<torch::optim::SGD>(groups, sgd);
  for (const auto& [key, tensor] : extra_tensors()) further.push_back(tensor);
  if (!further.empty()) {
    const auto steps = static_cast<double>(std::max<int64_t>(
        1, epochs(stage) * (static_cast<int64_t>(request_.data.train.size()) / request_.batch)));
    adam_ = std::make_unique<torch::optim::Adam>(
        further, torch::optim::AdamOptions(std::clamp(4 / steps, 0.001, 0.05)));
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
  result_.after = asked(kept_);
  result_.int8_accuracy = integer_accuracy(made, request_.data.test);
  result_.emitted_accuracy = emitted_accuracy(made, request_.plan, request_.data.test);
  result_.questions = compiler_.questions();
  result_.question_seconds = question_seconds_;
  write_tflite(graph, file("float.tflite"));
  write_tflite(made, file("int8.tflite"));
  const std::string text = result_json(result_, request_);
  write_file(file("result.json"), std::array{std::string_view(text)});
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
