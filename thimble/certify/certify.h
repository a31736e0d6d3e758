// SPDX-License-Identifier: Apache-2.0
// Proof that a rewritten network computes what the file's does, by code that rewrites nothing and
// calls no rewrite. By induction, operator by operator of the rewritten network:
//
//   - one that the file has too, with the same operands, computes the same: nothing is executed;
//   - of any other the part of the file's network is found that makes its output of the tensors
//     that its operands stand for. Both are executed by the interpreter, on noise and at the ends
//     of what these tensors can be, large images on a few rows and columns with all borders; their
//     constant operands are compared exactly: weights and biases as sums, with what removed
//     channels add to them. What else lies in that part must change no value.
//
// What a channel is claimed to be always, and clamps that are gone, are proved by a walk of ranges
// through the file's network (ranges.h). Ports and variables are followed back to the file's.
// At last both networks are executed as a whole, all tensors compared, as often as a bound of
// counted work allows.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/certify/certificate.h"

namespace thimble {

struct Certification {
  std::string fault;        ///< empty: the networks are equal; else what a rewrite changed
  int64_t same_ops = 0;     ///< of the rewritten network, which the file has too
  int64_t checked_ops = 0;  ///< the others
  int64_t inferences = 0;   ///< of both networks as a whole, noise first; 0: they are too large

  [[nodiscard]] bool ok() const { return fault.empty(); }
};

[[nodiscard]] Certification certify(const Graph& file, const RewrittenGraph& rewritten,
                                    Interface interface = Interface::kOfTheFile);

}  // namespace thimble
