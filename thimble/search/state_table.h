// SPDX-License-Identifier: Apache-2.0
// Sets of executed operators, each stored once, with the way to it.
#pragma once

#include "thimble/search/execution.h"

namespace thimble {

class StateTable {
 public:
  explicit StateTable(size_t operators) : words_((operators + 63) / 64), slots_(64, -1) {}

  struct State {
    int64_t cost = 0;  ///< the least peak of a way to it, as far as known
    int64_t live_bytes = 0;
    int last_move = -1;
  };
  [[nodiscard]] int size() const { return static_cast<int>(states_.size()); }
  [[nodiscard]] const State& state(int s) const { return states_[index(s)]; }
  [[nodiscard]] std::span<const uint64_t> executed(int s) const {
    return {bits_.data() + index(s) * words_, words_};
  }

  /// The state with that set, reached from `last_move` by `moves`; -1 if it is known at no
  /// higher cost. `state.last_move` is ignored.
  int add(std::span<const uint64_t> executed, State state, int last_move,
          const std::vector<int>& moves);

  /// The moves of a state's way, first to last.
  [[nodiscard]] std::vector<int> moves_to(int s) const;

 private:
  struct Move {
    int before;  ///< index of the move before it
    int op;
  };
  [[nodiscard]] static uint64_t hash(std::span<const uint64_t> set);
  [[nodiscard]] size_t slot_of(std::span<const uint64_t> set) const;
  void grow();

  const size_t words_;
  std::vector<uint64_t> bits_;  ///< words_ for each state
  std::vector<State> states_;
  std::vector<Move> moves_;
  std::vector<int> slots_;  ///< open addressing, a power of two; -1 is free
};

}  // namespace thimble
