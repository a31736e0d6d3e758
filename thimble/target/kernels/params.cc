// SPDX-License-Identifier: Apache-2.0
// Parameters: bound to constants, compared, named.
#include <iterator>
#include <type_traits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/fields.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {
namespace {

// Every number of the parameters; pointers do not count.
std::vector<double> leaves(const KernelParams& params) {
  std::vector<double> result;
  const auto add = [&](const auto& leaf) {
    if constexpr (!std::is_pointer_v<std::remove_cvref_t<decltype(leaf)>>)
      result.push_back(static_cast<double>(leaf));
  };
  std::visit(
      [&](const auto& p) {
        if constexpr (!std::is_same_v<decltype(p), const std::monostate&>) each_leaf(p, add);
      },
      params);
  return result;
}

}  // namespace

KernelParams bind(const KernelParams& params, std::span<const void* const> constants) {
  KernelParams bound = params;
  size_t next = 0;
  const auto point = [&](auto& leaf) {
    using Leaf = std::remove_reference_t<decltype(leaf)>;
    if constexpr (std::is_pointer_v<Leaf>) {
      check(next < constants.size(), "bind: too few constants");
      leaf = static_cast<Leaf>(constants[next++]);
    }
  };
  std::visit(
      [&](auto& p) {
        if constexpr (!std::is_same_v<decltype(p), std::monostate&>) each_leaf(p, point);
      },
      bound);
  check(next == constants.size(), "bind: too many constants");
  return bound;
}

bool same_values(const KernelParams& a, const KernelParams& b) {
  return a.index() == b.index() && leaves(a) == leaves(b);
}

const char* type_name(const KernelParams& params) {
#define THIMBLE_PARAMS(Struct, fields) , #Struct
  static constexpr const char* kNames[] = {""
#include "thimble/target/kernels/params.def"
  };
  static_assert(std::size(kNames) == std::variant_size_v<KernelParams>);
  return kNames[params.index()];
}

}  // namespace thimble
