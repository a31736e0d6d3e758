// SPDX-License-Identifier: Apache-2.0
// A std::variant of dozens of kinds as a class. What copies, moves, compares and destroys that many
// takes compilers seconds in each file; here one source file has it, which instantiates the class
// behind model/one_of_members.h (model/attributes.cc).
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace thimble {

template <class A, class... List>
inline constexpr bool kIsOneOf = (std::is_same_v<A, List> || ...);

template <class Kind, class Variant>
inline constexpr bool kIsKindOf = false;
template <class Kind, class... Kinds>
inline constexpr bool kIsKindOf<Kind, std::variant<Kinds...>> = kIsOneOf<Kind, Kinds...>;

template <class Variant>
class OneOf : public Variant {
 public:
  OneOf();
  template <class Kind>
  requires kIsKindOf<Kind, Variant> OneOf(Kind kind)  // as a variant does
      : OneOf(made<Kind>(std::move(kind))) {}
  OneOf(const OneOf& other);
  OneOf(OneOf&& other) noexcept;
  OneOf& operator=(const OneOf& other);
  OneOf& operator=(OneOf&& other) noexcept;
  ~OneOf();
  bool operator==(const OneOf& other) const;

 private:
  template <class Kind>
  static OneOf made(Kind kind);
  template <class AnyOfThem>
  friend struct MadeOfEach;
};

}  // namespace thimble
