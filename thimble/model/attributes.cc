// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/attributes.h"

#include <cctype>

#include "thimble/model/error.h"
#include "thimble/model/one_of_members.h"

namespace thimble {
namespace {

template <class Operator>
const char* kName = nullptr;
#define THIMBLE_OPERATOR(Kind, name) \
  template <>                        \
  constexpr const char* kName<Kind> = name;
#include "thimble/model/operators.def"

/// Kinds with several names, and the others.
struct NameOf {
  const char* operator()(const MaxPool2D& a) const {
    return a.least ? "MIN_POOL_2D" : "MAX_POOL_2D";
  }
  const char* operator()(const FloorDiv& a) const {
    return a.remainder ? "FLOOR_MOD" : "FLOOR_DIV";
  }
  const char* operator()(const Comparison& a) const {
    switch (a.relation) {
      case Relation::kEqual:
        return "EQUAL";
      case Relation::kNotEqual:
        return "NOT_EQUAL";
      case Relation::kGreater:
        return "GREATER";
      case Relation::kGreaterEqual:
        return "GREATER_EQUAL";
      case Relation::kLess:
        return "LESS";
      case Relation::kLessEqual:
        return "LESS_EQUAL";
    }
    throw InternalError("unknown Relation");
  }
  const char* operator()(const Recurrent& a) const { return gates_of(a.cell) == 1 ? "RNN" : "GRU"; }
  const char* operator()(const ArgMax& a) const { return a.least ? "ARG_MIN" : "ARG_MAX"; }
  const char* operator()(const Relu& a) const {
    if (a.range == Activation::kReluN1To1) return "RELU_N1_TO_1";
    if (a.range == Activation::kRelu0To1) return "RELU_0_TO_1";
    return "RELU";
  }
  const char* operator()(const Elementwise& a) const {
    switch (a.function) {
      case Function::kAtan:
        return "ATAN";
      case Function::kCeil:
        return "CEIL";
      case Function::kCos:
        return "COS";
      case Function::kErf:
        return "ERF";
      case Function::kExp:
        return "EXP";
      case Function::kFloor:
        return "FLOOR";
      case Function::kLog:
        return "LOG";
      case Function::kNeg:
        return "NEG";
      case Function::kRound:
        return "ROUND";
      case Function::kSin:
        return "SIN";
      case Function::kSqrt:
        return "SQRT";
      case Function::kSquare:
        return "SQUARE";
    }
    throw InternalError("unknown Function");
  }
  template <class Operator>
  const char* operator()(const Operator&) const {
    return kName<Operator>;
  }
};

}  // namespace

template class OneOf<AnyOperator>;
template struct MadeOfEach<AnyOperator>;

int32_t accepted(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return 2;
    case Relation::kNotEqual:
      return 1 | 4 | 8;
    case Relation::kGreater:
      return 4;
    case Relation::kGreaterEqual:
      return 2 | 4;
    case Relation::kLess:
      return 1;
    case Relation::kLessEqual:
      return 1 | 2;
  }
  throw InternalError("unknown Relation");
}

const char* name(const Attributes& attributes) { return std::visit(NameOf{}, attributes); }

std::string snake_name(const Attributes& attributes) {
  if (std::holds_alternative<Lstm>(attributes)) return "lstm";
  std::string lower = name(attributes);
  for (char& c : lower) c = static_cast<char>(std::tolower(c));
  return lower;
}

}  // namespace thimble
