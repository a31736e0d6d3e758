// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/rematerialise.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

class Search {
 public:
  Search(const AxisGraph& axes, const Instances& instances)
      : axes_(axes),
        graph_(axes.graph()),
        instances_(instances),
        maker_(makers(instances)),
        readers_(readers(instances)) {
    const auto is_copy = [&](InstanceId id) { return !instances.instance(id).op.valid(); };
    for (InstanceId& id : maker_) {
      if (id.valid() && is_copy(id)) id = {};  // nothing makes it again
    }
    for (std::vector<InstanceId>& ids : readers_) std::erase_if(ids, is_copy);
  }

  /// Has no readers if there is nothing to gain.
  [[nodiscard]] Rematerialisation rematerialisation_of(ValueId value) const {
    Rematerialisation result{.chain = {}, .readers = {}, .bytes = bytes(value)};
    const std::vector<InstanceId>& all = readers_[value.index()];
    if (all.size() < 2 || !maker_[value.index()].valid() || is_output(value)) return result;
    const std::vector<bool> waits = waiting_for_all_rows(value);
    std::ranges::copy_if(all, std::back_inserter(result.readers),
                         [&](InstanceId reader) { return waits[reader.index()]; });
    if (result.readers.size() < all.size()) find_chain(value, result);
    if (result.chain.empty()) result.readers.clear();
    return result;
  }

 private:
  [[nodiscard]] int64_t bytes(ValueId id) const {
    return graph_.tensor(instances_.value(id).tensor).size_bytes();
  }
  [[nodiscard]] bool is_output(ValueId id) const {
    return std::ranges::find(graph_.outputs, instances_.value(id).tensor, &Port::tensor) !=
           graph_.outputs.end();
  }

  /// Instances that read what has been made of all rows of a value; per instance, up to the last
  /// that reads the value itself.
  [[nodiscard]] std::vector<bool> waiting_for_all_rows(ValueId value) const {
    std::vector<bool> follows(instances_.values.size(), false), waits = follows;
    std::vector<bool> result(instances_.list.size(), false);
    follows[value.index()] = true;
    const size_t end = readers_[value.index()].back().index() + 1;
    for (size_t i = maker_[value.index()].index(); i < end; ++i) {
      const Instance& instance = instances_.list[i];
      if (!instance.op.valid()) continue;
      bool depends = false, all_rows = false;
      for (size_t k = 0; k < instance.reads.size(); ++k) {
        const size_t v = instance.reads[k].index();
        const Connection* read = axes_.connection(instance.op, k, kStreamAxis);
        const bool by_rows = read != nullptr && read->axis == kStreamAxis;
        result[i] = result[i] || waits[v];
        depends = depends || follows[v];
        all_rows = all_rows || (follows[v] && !by_rows);
      }
      const size_t out = instance.makes.index();
      waits[out] = result[i] || all_rows;
      follows[out] = follows[out] || (depends && !waits[out]);
    }
    return result;
  }

  /// The only activation that an instance reads; invalid if it reads several.
  [[nodiscard]] ValueId only_activation(const Instance& instance) const {
    ValueId result;
    for (const ValueId id : instance.reads) {
      if (graph_.tensor(instances_.value(id).tensor).is_constant()) continue;
      if (result.valid()) return {};
      result = id;
    }
    return result;
  }

  void find_chain(ValueId value, Rematerialisation& result) const {
    for (ValueId made = value; maker_[made.index()].valid();) {
      const InstanceId id = maker_[made.index()];
      const Instance& instance = instances_.instance(id);
      const ValueId from = only_activation(instance);
      if (!from.valid()) return;
      result.chain.insert(result.chain.begin(), id);
      result.macs += macs(graph_, graph_.op(instance.op));
      made = from;
      if (2 * bytes(made) <= result.bytes || readers_[made.index()].size() > 1) return;
    }
  }

  const AxisGraph& axes_;
  const Graph& graph_;
  const Instances& instances_;
  std::vector<InstanceId> maker_;                 ///< per value; copies left out
  std::vector<std::vector<InstanceId>> readers_;  ///< the same
};

}  // namespace

std::vector<Rematerialisation> rematerialisations(const AxisGraph& axes,
                                                  const Instances& instances) {
  const Search search(axes, instances);
  std::vector<Rematerialisation> result;
  for (size_t v = 0; v < instances.values.size(); ++v) {
    Rematerialisation found = search.rematerialisation_of({static_cast<int32_t>(v)});
    if (!found.readers.empty()) result.push_back(std::move(found));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &Rematerialisation::bytes);
  return result;
}

Instances rematerialise(const Instances& instances, const std::vector<Rematerialisation>& which) {
  Instances result = instances;
  for (const Rematerialisation& one : which) {
    for (const InstanceId id : one.chain) result.list[id.index()].recomputes = true;
  }
  std::vector<std::vector<Instance>> in_front(instances.list.size());  // of each instance
  // In the order of the new instances, so that the values have it, too.
  for (size_t k = 0; k < instances.list.size(); ++k) {
    for (const Rematerialisation& one : which) {
      if (one.readers.front().index() != k) continue;
      std::pair<ValueId, ValueId> last;  // made by the chain so far: the first value, the second
      for (const InstanceId id : one.chain) {
        Instance& copy = in_front[k].emplace_back(instances.instance(id));
        copy.recomputes = true;
        std::ranges::replace(copy.reads, last.first, last.second);
        last = {copy.makes, add_value(result, instances.value(copy.makes))};
        copy.makes = last.second;
      }
      for (const InstanceId reader : one.readers)
        std::ranges::replace(result.list[reader.index()].reads, last.first, last.second);
    }
  }
  std::vector<Instance> list;
  for (size_t k = 0; k < in_front.size(); ++k) {
    list.insert(list.end(), in_front[k].begin(), in_front[k].end());
    list.push_back(std::move(result.list[k]));
  }
  result.list = std::move(list);
  return result;
}

void rematerialise_more(
    const AxisGraph& axes, const Instances& instances, int64_t most_macs,
    const std::function<Gain(const Rematerialisations& chosen, int64_t macs)>& attempt) {
  constexpr int kMostInVain = 4;  // one after the other
  Rematerialisations chosen;
  int64_t macs = 0;
  int in_vain = 0;
  for (const Rematerialisation& more : rematerialisations(axes, instances)) {
    if (more.macs > most_macs - macs) continue;
    if (in_vain == kMostInVain) break;
    chosen.push_back(more);
    macs += more.macs;
    const Gain gain = attempt(chosen, macs);
    if (gain == Gain::kEnough) break;
    in_vain = gain == Gain::kSome ? 0 : in_vain + 1;
  }
}

}  // namespace thimble
