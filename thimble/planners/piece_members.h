// SPDX-License-Identifier: Apache-2.0
// What a piece is in a plan.
#pragma once

#include "thimble/planners/cut_order.h"
#include "thimble/planners/streamed_piece.h"

namespace thimble {

/// The axis of bands.
constexpr int kBandRows = 1;

/// Members that execute a piece. flow: of the order's instances and, at least, those that store and
/// fetch what the piece does.
[[nodiscard]] std::vector<Member> members_of(const CutOrder& order, const Dataflow& flow,
                                             const StreamedPiece& piece);
/// All instances of the piece in a loop over channels of the last value.
[[nodiscard]] Group channel_group(const CutOrder& order, const Instances& instances,
                                  const StreamedPiece& piece);

}  // namespace thimble
