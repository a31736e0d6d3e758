// SPDX-License-Identifier: Apache-2.0
// A hash map of some tens of entries, made and dropped by the thousand: one block for the entries,
// in the order in which they came, one for the table. No entry is ever erased.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/model/id.h"

namespace thimble {

template <class Tag>
uint32_t small_hash(Id<Tag> id) {
  return static_cast<uint32_t>(id.value) * 0x9E3779B9U;
}
template <class Tag>
uint32_t small_hash(const std::pair<Id<Tag>, int>& key) {
  return (static_cast<uint32_t>(key.first.value) * 8 + static_cast<uint32_t>(key.second)) *
         0x9E3779B9U;
}

template <class Key, class Value>
class SmallMap {
 public:
  using Entries = std::vector<std::pair<Key, Value>>;

  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

  /// Null if there is none; valid until the next entry comes.
  [[nodiscard]] const Value* find(const Key& key) const {
    const int32_t entry = table_[place(key)];
    return entry < 0 ? nullptr : &entries_[static_cast<size_t>(entry)].second;
  }
  [[nodiscard]] bool contains(const Key& key) const { return find(key) != nullptr; }
  [[nodiscard]] const Value& at(const Key& key) const {
    const Value* value = find(key);
    check(value != nullptr, "a key that a map does not have");
    return *value;
  }
  /// That of the key, made from `fresh` if there is none. Valid until the next entry comes.
  Value& get(const Key& key, const Value& fresh) {
    const size_t at = place(key);
    if (table_[at] >= 0) return entries_[static_cast<size_t>(table_[at])].second;
    table_[at] = static_cast<int32_t>(entries_.size());
    entries_.emplace_back(key, fresh);
    if (2 * entries_.size() > table_.size()) grow();
    return entries_.back().second;
  }

 private:
  /// The place of the key in the table, or where it would be.
  [[nodiscard]] size_t place(const Key& key) const {
    const size_t mask = table_.size() - 1;
    size_t at = (small_hash(key) >> 16) & mask;
    while (table_[at] >= 0 && entries_[static_cast<size_t>(table_[at])].first != key)
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    table_.assign(4 * table_.size(), -1);
    for (size_t k = 0; k < entries_.size(); ++k)
      table_[place(entries_[k].first)] = static_cast<int32_t>(k);
  }

  Entries entries_;
  std::vector<int32_t> table_ = std::vector<int32_t>(64, -1);  ///< a power of two of entries or -1
};

}  // namespace thimble
