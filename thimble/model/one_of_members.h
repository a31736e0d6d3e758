// SPDX-License-Identifier: Apache-2.0
// The members of OneOf, for the one file that instantiates them.
#pragma once

#include <tuple>

#include "thimble/model/one_of.h"

namespace thimble {

template <class Variant>
OneOf<Variant>::OneOf() = default;
template <class Variant>
OneOf<Variant>::OneOf(const OneOf& other) = default;
template <class Variant>
OneOf<Variant>::OneOf(OneOf&& other) noexcept = default;
template <class Variant>
OneOf<Variant>& OneOf<Variant>::operator=(const OneOf& other) = default;
template <class Variant>
OneOf<Variant>& OneOf<Variant>::operator=(OneOf&& other) noexcept = default;
template <class Variant>
OneOf<Variant>::~OneOf() = default;

template <class Variant>
bool OneOf<Variant>::operator==(const OneOf& other) const {
  return static_cast<const Variant&>(*this) == static_cast<const Variant&>(other);
}

template <class Variant>
template <class Kind>
OneOf<Variant> OneOf<Variant>::made(Kind kind) {
  OneOf one;
  static_cast<Variant&>(one) = std::move(kind);
  return one;
}

/// Instantiated explicitly, its table has the compiler emit `made` of each kind, which other files
/// call: a function whose address is kept is not left out as inlined.
template <class Variant>
struct MadeOfEach;
template <class... Kinds>
struct MadeOfEach<std::variant<Kinds...>> {
  template <class Kind>
  using Maker = OneOf<std::variant<Kinds...>> (*)(Kind);
  static const std::tuple<Maker<Kinds>...> table;
};
template <class... Kinds>
const std::tuple<typename MadeOfEach<std::variant<Kinds...>>::template Maker<Kinds>...>
    MadeOfEach<std::variant<Kinds...>>::table{
        &OneOf<std::variant<Kinds...>>::template made<Kinds>...};

}  // namespace thimble
