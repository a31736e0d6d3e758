// SPDX-License-Identifier: Apache-2.0
#include "bench/nnls.h"

#include <algorithm>
#include <cmath>

namespace thimble {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Columns of length 1, so that one tolerance serves all.
struct Normal {
  Matrix gram;     // A^T A
  Vector product;  // A^T b
  Vector scale;    // of each column
};

Normal normal_equations(const Matrix& rows, const Vector& b) {
  const size_t n = rows.empty() ? 0 : rows[0].size();
  Normal normal{Matrix(n, Vector(n)), Vector(n), Vector(n, 1)};
  for (size_t j = 0; j < n; ++j) {
    double square = 0;
    for (const Vector& row : rows) square += row[j] * row[j];
    if (square > 0) normal.scale[j] = 1 / std::sqrt(square);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (rows[i][j] == 0) continue;
      const double a = rows[i][j] * normal.scale[j];
      normal.product[j] += a * b[i];
      for (size_t k = 0; k < n; ++k) normal.gram[j][k] += a * rows[i][k] * normal.scale[k];
    }
  }
  return normal;
}

// The solution with the columns `used` alone, by Cholesky; the rest is 0. A little is added to the
// diagonal: columns may be alike.
Vector solve(const Normal& normal, const std::vector<size_t>& used) {
  constexpr double kRidge = 1e-10;
  const size_t m = used.size();
  Matrix l(m, Vector(m));
  Vector y(m);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = normal.gram[used[i]][used[j]] + (i == j ? kRidge : 0);
      for (size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(std::max(sum, kRidge * kRidge)) : sum / l[j][j];
    }
    y[i] = normal.product[used[i]];
    for (size_t k = 0; k < i; ++k) y[i] -= l[i][k] * y[k];
    y[i] /= l[i][i];
  }
  Vector x(normal.product.size());
  for (size_t i = m; i-- > 0;) {
    double sum = y[i];
    for (size_t k = i + 1; k < m; ++k) sum -= l[k][i] * x[used[k]];
    x[used[i]] = sum / l[i][i];
  }
  return x;
}

// The unused column along which the residual falls most; n if along none.
size_t steepest(const Normal& normal, const Vector& x, const std::vector<bool>& used) {
  constexpr double kTolerance = 1e-9;
  const size_t n = x.size();
  size_t best = n;
  double most = kTolerance;
  for (size_t j = 0; j < n; ++j) {
    if (used[j] || normal.gram[j][j] == 0) continue;
    double gradient = normal.product[j];
    for (size_t k = 0; k < n; ++k) gradient -= normal.gram[j][k] * x[k];
    if (gradient > most) {
      most = gradient;
      best = j;
    }
  }
  return best;
}

// From x towards `wanted` until the first used entry reaches 0; those leave.
void step_towards(const Vector& wanted, Vector& x, std::vector<bool>& used) {
  double share = 1;
  for (size_t j = 0; j < x.size(); ++j) {
    if (used[j] && wanted[j] <= 0) share = std::min(share, x[j] / (x[j] - wanted[j]));
  }
  for (size_t j = 0; j < x.size(); ++j) {
    if (!used[j]) continue;
    x[j] += share * (wanted[j] - x[j]);
    if (x[j] <= 1e-14) {
      x[j] = 0;
      used[j] = false;
    }
  }
}

std::vector<size_t> indices(const std::vector<bool>& used) {
  std::vector<size_t> result;
  for (size_t j = 0; j < used.size(); ++j) {
    if (used[j]) result.push_back(j);
  }
  return result;
}

}  // namespace

Vector nonnegative_least_squares(const Matrix& rows, const Vector& b) {
  const Normal normal = normal_equations(rows, b);
  const size_t n = normal.product.size();
  Vector x(n);
  std::vector<bool> used(n);
  for (size_t rounds = 0; rounds < 3 * n; ++rounds) {
    const size_t next = steepest(normal, x, used);
    if (next == n) break;
    used[next] = true;
    Vector wanted = solve(normal, indices(used));
    while (std::ranges::any_of(indices(used), [&](size_t j) { return wanted[j] <= 0; })) {
      step_towards(wanted, x, used);
      wanted = solve(normal, indices(used));
    }
    x = wanted;
  }
  for (size_t j = 0; j < n; ++j) x[j] *= normal.scale[j];
  return x;
}

}  // namespace thimble
