// SPDX-License-Identifier: Apache-2.0
// The two networks side by side.
#pragma once

#include <string>
#include <vector>

#include "thimble/certify/certificate.h"
#include "thimble/certify/file_network.h"

namespace thimble {

/// What a rewrite claims wrongly.
struct WrongClaim {
  std::string what;
};

/// Tensors of the rewritten network, by the claims of its certificate. Throws WrongClaim for what
/// is wrong before any operator is looked at: kept tensors of another type or shape, constants
/// with other values, channels that are not always what is claimed.
class Networks {
 public:
  Networks(const Graph& file, const RewrittenGraph& rewritten);

  [[nodiscard]] const FileNetwork& file() const { return file_; }
  [[nodiscard]] const Graph& now() const { return now_; }
  /// Whether it has the number of one of the file's.
  [[nodiscard]] bool is_of_the_file(TensorId now) const {
    return now.valid() && now.index() < file_.graph.tensors.size();
  }
  /// Null: it has all channels.
  [[nodiscard]] const ThinnedTensor* thinned(TensorId now) const { return thinned_[now.index()]; }
  /// The tensor of the file's that an activation stands for.
  [[nodiscard]] TensorId file_tensor(TensorId now) const;

 private:
  void number_values();
  void take_kept_tensors();
  void take_thinned(const std::vector<ThinnedTensor>& list);
  void fold_constants();
  void prove_folded();
  void prove_removed(const std::vector<ThinnedTensor>& list) const;

  FileNetwork file_;
  const Graph& now_;
  std::vector<const ThinnedTensor*> thinned_;  ///< per tensor of the rewritten network
};

/// What an operator takes to be interpreted, in products, about.
[[nodiscard]] int64_t interpreted_work(const Graph& graph, const Op& op);

}  // namespace thimble
