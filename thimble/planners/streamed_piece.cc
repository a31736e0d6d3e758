// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/streamed_piece.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace thimble {
namespace {

/// Bytes that a piece leaves free for the next one's head: none, and powers of two.
constexpr int kRooms = 12;
constexpr int64_t room_bytes(int room) { return room == 0 ? 0 : int64_t{512} << room; }

using Price = std::pair<double, double>;

/// The cheapest way to a cut, by what it leaves there.
struct Best {
  std::optional<Price> price;
  const StreamedPiece* by = nullptr;
  int from_room = 0;  ///< that the piece in front leaves
};
using Leaving = std::tuple<int, bool, int>;  ///< position, whether its value is stored, room

}  // namespace

int64_t StreamedConstants::held_bytes() const {
  return how == How::kTiled ? 2 * record_bytes : first_bytes();
}

std::optional<std::vector<StreamedPiece>> cheapest_chain(const std::vector<StreamedPiece>& pieces,
                                                         int begin, int end,
                                                         const ChainLimits& limits) {
  std::map<Leaving, Best> best;
  best[{begin, false, 0}].price = Price{0, 0};
  std::vector<const StreamedPiece*> sorted;
  for (const StreamedPiece& piece : pieces) sorted.push_back(&piece);
  std::ranges::stable_sort(sorted, {}, &StreamedPiece::begin);
  for (const StreamedPiece* piece : sorted) {
    const auto moved = static_cast<double>(piece->moved);
    for (int from_room = 0; from_room < kRooms; ++from_room) {
      const auto found = best.find({piece->begin, piece->fetches, from_room});
      if (found == best.end()) continue;
      const Best from = found->second;
      double hidden = 0;
      if (from_room > 0) {
        const StreamedPiece::Tail& front = from.by->tail;
        const auto reads = static_cast<int>(piece->head.positions.size());
        if (reads == 0 || piece->head.bytes > room_bytes(from_room) ||
            front.in_flight + reads > limits.most_in_flight)
          continue;
        hidden = std::min(piece->head.cycles, front.spare);
      }
      const Price sum{from.price->first + piece->cycles - hidden + limits.cycles_per_byte * moved,
                      from.price->second + moved};
      for (int room = 0; room < kRooms; ++room) {
        if (room > 0 &&
            (piece->tail.spare <= 0 || piece->tail.bytes + room_bytes(room) > limits.sram_bytes))
          break;
        Best& to = best[{piece->end, piece->stores, room}];
        if (!to.price || sum < *to.price) to = {sum, piece, from_room};
      }
    }
  }
  std::vector<StreamedPiece> chain;
  for (Leaving cut{end, false, 0}; std::get<0>(cut) > begin;) {
    const auto found = best.find(cut);
    if (found == best.end() || found->second.by == nullptr) return std::nullopt;
    const auto& [price, by, from_room] = found->second;
    chain.insert(chain.begin(), *by);
    for (const size_t position : by->head.positions)
      chain.front().constants[position].early |= from_room > 0;
    cut = {by->begin, by->fetches, from_room};
  }
  return chain;
}

}  // namespace thimble
