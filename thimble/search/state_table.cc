// SPDX-License-Identifier: Apache-2.0
// A hash table with linear probing; ways share their beginnings.
#include "thimble/search/state_table.h"

#include <algorithm>

namespace thimble {

uint64_t StateTable::hash(std::span<const uint64_t> set) {
  uint64_t result = 0;
  for (const uint64_t word : set) {
    result ^= word;
    result *= 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
    result ^= result >> 32;
  }
  return result;
}

size_t StateTable::slot_of(std::span<const uint64_t> set) const {
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash(set) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] < 0) return slot;
    const std::span<const uint64_t> other = executed(slots_[slot]);
    if (std::equal(set.begin(), set.end(), other.begin())) return slot;
  }
}

void StateTable::grow() {
  slots_.assign(slots_.size() * 2, -1);
  for (int s = 0; s < size(); ++s) slots_[slot_of(executed(s))] = s;
}

int StateTable::add(std::span<const uint64_t> executed, State state, int last_move,
                    const std::vector<int>& moves) {
  const size_t slot = slot_of(executed);
  int s = slots_[slot];
  if (s >= 0 && states_[index(s)].cost <= state.cost) return -1;
  for (const int op : moves) {
    moves_.push_back({.before = last_move, .op = op});
    last_move = static_cast<int>(moves_.size()) - 1;
  }
  state.last_move = last_move;
  if (s >= 0) {
    states_[index(s)] = state;
    return s;
  }
  s = size();
  slots_[slot] = s;
  states_.push_back(state);
  bits_.insert(bits_.end(), executed.begin(), executed.end());
  if (states_.size() * 2 > slots_.size()) grow();
  return s;
}

std::vector<int> StateTable::moves_to(int s) const {
  std::vector<int> result;
  for (int last_move = state(s).last_move; last_move >= 0;
       last_move = moves_[index(last_move)].before) {
    result.push_back(moves_[index(last_move)].op);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace thimble
