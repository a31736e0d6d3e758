// SPDX-License-Identifier: Apache-2.0
// All that a run needs to go on as if it had never stopped: one file, written at the end of each
// epoch, whole or not at all.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "training/learn/curve.h"
#include "training/network/channels.h"

namespace thimble::training {

using NamedTensors = std::map<std::string, torch::Tensor>;

struct Checkpoint {
  std::string request;   ///< what was asked for, as text: another request cannot go on from it
  int64_t stage = 0;     ///< of run.h
  int64_t epoch = 0;     ///< epochs of the stage that are done
  Kept kept;             ///< channels of the network as it came; empty: all
  NamedTensors tensors;  ///< by name: parameters, statistics, gates, ranges
  std::vector<std::string> optimisers;  ///< their states, as LibTorch writes them
  Curve curve;

  /// Throws CompileError where the file cannot be written.
  void save(const std::filesystem::path& file) const;
  /// Throws CompileError for what is no checkpoint, or damaged.
  [[nodiscard]] static Checkpoint load(const std::filesystem::path& file);
};

/// Copies into the tensors of the same names, which must have the same shapes; throws CompileError,
/// in the name of `where`, where one is missing.
void restore(const NamedTensors& from, const NamedTensors& to, const std::string& prefix,
             const std::string& where);
/// Adds copies, under prefix + name.
void keep(NamedTensors& in, const NamedTensors& tensors, const std::string& prefix);

/// The state of an optimiser as text, and back.
[[nodiscard]] std::string state_of(const torch::optim::Optimizer& optimiser);
void set_state(torch::optim::Optimizer& optimiser, const std::string& state,
               const std::string& where);

}  // namespace thimble::training
