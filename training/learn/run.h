// SPDX-License-Identifier: Apache-2.0
// A network from nothing to firmware that fits: four stages, each a checkpoint at every epoch.
//
//   ordinary   as anybody trains it, in float32
//   prune      channels learn whether they are needed; the compiler says what is too much
//   tune       without the others
//   quantise   with the rounding of int8, and of narrow sums where the plan has them
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "training/data/dataset.h"
#include "training/network/budget.h"

namespace thimble::training {

enum class Stage : uint8_t { kOrdinary, kPrune, kTune, kQuantise };
inline constexpr size_t kStages = 4;
[[nodiscard]] const char* name(Stage stage);

/// How channels are chosen that go.
enum class Pruning : uint8_t {
  kLearnt,
  kUniform,  ///< the same share of each layer: those of least magnitude
  kByChance
};

struct Progress {
  Stage stage = Stage::kOrdinary;
  int64_t epoch = 0, epochs = 0;  ///< from 1
  int64_t batch = 0, batches = 0;
};

struct RunRequest {
  Graph graph;           ///< of float32, for one sample
  bool trained = false;  ///< its weights are to start with; no batch normalisation is added
  std::string network;   ///< as the user named it
  Dataset data;
  std::filesystem::path folder;  ///< of the results
  Budget budget;
  PlanOptions plan;
  Pruning pruning = Pruning::kLearnt;
  std::array<int64_t, kStages> epochs = {};
  double rate = 0.05;  ///< of learning: the most in the first stage
  double decay = 5e-4;
  int64_t batch = 64;
  uint64_t seed = 1;
  /// Scales of narrow sums learn; else they make room for what the trained network sums.
  bool learn_sums = true;
  int64_t emitted_samples = 0;  ///< of the test, that the emitted program runs; 0: all
  bool resume = false;          ///< go on from the folder's checkpoint
  std::filesystem::path from;   ///< the folder of a run whose first stage is taken; empty: none
  std::string text;             ///< all of the above as JSON: what --resume must not change
  std::function<bool(const Progress&)> progress = {};  ///< false: stop
  std::function<void(const std::string& line)> say = {};
};

struct RunResult {
  double float_accuracy = 0;    ///< of the network that is written as float32
  double int8_accuracy = 0;     ///< in the plan's arithmetic, by LibTorch's whole numbers
  size_t narrow_sums = 0;       ///< operators of the plan whose sums have 16 or 8 bits
  double emitted_accuracy = 0;  ///< of the plan with the kernels that ship, on the host
  size_t emitted_samples = 0;   ///< of the test, of which that is
  Footprint before, after;      ///< as it came, as it is written
  std::optional<double> ordinary_accuracy;  ///< of the first stage, in float32
  bool has_picture = false;                 ///< curve.svg, which gnuplot draws
  size_t questions = 0;                     ///< that the compiler was asked
  double question_seconds = 0;
};

/// Writes into the folder: config.json, checkpoint.pt, ordinary.pt (the first stage alone),
/// curve.csv, curve.svg where there is gnuplot, float.tflite, int8.tflite, labels.txt, result.json,
/// and accumulators.json where the plan has narrow sums. Nothing: it was stopped; what was finished
/// is in the checkpoint. Throws CompileError for a budget that cannot be met, networks that cannot
/// be trained, files that cannot be written.
[[nodiscard]] std::optional<RunResult> run(RunRequest request);

}  // namespace thimble::training
