// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/expr_text.h"

#include <fmt/format.h>

namespace thimble {

std::string to_string(const IndexExpr& expr, const std::function<std::string(LoopId)>& name) {
  std::string sum;
  for (const Term& term : expr.terms) {
    const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const std::string product =
        size == 1 ? name(term.loop) : fmt::format("{} * {}", size, name(term.loop));
    if (sum.empty()) {
      sum = (term.coefficient < 0 ? "-" : "") + product;
    } else {
      sum += (term.coefficient < 0 ? " - " : " + ") + product;
    }
  }
  if (sum.empty()) {
    sum = fmt::format("{}", expr.base);
  } else if (expr.base != 0) {
    sum += fmt::format(" {} {}", expr.base < 0 ? '-' : '+', expr.base < 0 ? -expr.base : expr.base);
  }
  return expr.divisor == 1 ? sum : fmt::format("floor_div({}, {})", sum, expr.divisor);
}

std::string to_string(const IndexExpr& expr) {
  return to_string(expr, [](LoopId loop) { return fmt::format("i{}", loop.value); });
}

}  // namespace thimble
