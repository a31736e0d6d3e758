// SPDX-License-Identifier: Apache-2.0
// For classes that are a std::variant of many kinds. What copies, moves, compares and destroys
// dozens of alternatives takes compilers seconds: such a class declares it, and one source file has
// it (model/attributes.h, attributes.cc).
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace thimble {

template <class A, class... List>
inline constexpr bool kIsOneOf = (std::is_same_v<A, List> || ...);

template <class A, class Variant>
inline constexpr bool kIsKindOf = false;
template <class A, class... Kinds>
inline constexpr bool kIsKindOf<A, std::variant<Kinds...>> = kIsOneOf<A, Kinds...>;

/// Makes a Class of each kind: instantiated explicitly, it has the compiler emit the constructors
/// that other files call.
template <class Class, class Variant>
struct ConstructsEach;
template <class Class, class... Kinds>
struct ConstructsEach<Class, std::variant<Kinds...>> {
  static void construct() { (Class(Kinds()), ...); }
};

}  // namespace thimble
