// SPDX-License-Identifier: Apache-2.0
// Rectangles cut at random, and lives in random graphs.
#include "generated_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>
#include <utility>

namespace thimble::layout {
namespace {

constexpr int64_t kCapacity = 1 << 20;
constexpr int64_t kGrain = 64;  ///< of graphs: all sizes are multiples

/// Without the distributions of the standard library, which differ between libraries.
class Draws {
 public:
  explicit Draws(uint32_t seed) : random_(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool percent(int chance) { return between(0, 99) < chance; }

 private:
  std::mt19937 random_;
};

struct Box {
  Life life;
  int64_t bottom, top;  ///< in grains
  [[nodiscard]] int64_t duration() const { return life.end - life.begin; }
  [[nodiscard]] int64_t height() const { return top - bottom; }
};

class Cutter {
 public:
  Cutter(const PackingKind& kind) : kind_(kind), draws_(kind.seed) {}

  std::vector<Box> boxes() {
    boxes_ = {{{0, kind_.times > 0 ? kind_.times : int64_t{4} * kind_.buffers}, 0, kind_.grains}};
    while (std::ssize(boxes_) < kind_.buffers) {
      // The largest of a few: large ones do not stay, some odd ones do.
      size_t chosen = pick();
      for (int i = 0; i < 3; ++i) {
        const size_t other = pick();
        if (area(other) > area(chosen)) chosen = other;
      }
      cut(chosen);
    }
    return boxes_;
  }

 private:
  size_t pick() { return static_cast<size_t>(draws_.between(0, std::ssize(boxes_) - 1)); }
  [[nodiscard]] int64_t area(size_t i) const { return boxes_[i].duration() * boxes_[i].height(); }

  void cut(size_t chosen) {
    const Box box = boxes_[chosen];
    std::vector<Box> pieces;
    if (draws_.percent(kind_.pinwheels) && box.duration() >= 3 && box.height() >= 3) {
      pieces = pinwheel(box);
    } else {
      pieces = {box, box};
      if (draws_.percent(50) ? box.duration() >= 2 : box.height() < 2) {
        if (box.duration() < 2) return;
        pieces[0].life.end = pieces[1].life.begin = inside(box.life.begin, box.life.end);
      } else {
        pieces[0].top = pieces[1].bottom = inside(box.bottom, box.top);
      }
    }
    boxes_[chosen] = pieces.back();
    pieces.pop_back();
    boxes_.insert(boxes_.end(), pieces.begin(), pieces.end());
  }

  int64_t inside(int64_t begin, int64_t end) { return draws_.between(begin + 1, end - 1); }

  ///  +---+-----+
  ///  |   |  b  |   four boxes around a fifth
  ///  | a +--+--+
  ///  +---+e |  |
  ///  |  d   |c |
  ///  +------+--+
  std::vector<Box> pinwheel(const Box& box) {
    const auto [left, right] = two_inside(box.life.begin, box.life.end);
    const auto [low, high] = two_inside(box.bottom, box.top);
    return {{{box.life.begin, left}, low, box.top},
            {{left, box.life.end}, high, box.top},
            {{right, box.life.end}, box.bottom, high},
            {{box.life.begin, right}, box.bottom, low},
            {{left, right}, low, high}};
  }
  std::pair<int64_t, int64_t> two_inside(int64_t begin, int64_t end) {
    const int64_t first = draws_.between(begin + 1, end - 2);
    return {first, draws_.between(first + 1, end - 1)};
  }

  const PackingKind kind_;
  Draws draws_;
  std::vector<Box> boxes_;
};

}  // namespace

GeneratedProblem packing_problem(const PackingKind& kind) {
  Draws draws(kind.seed + 1'000'000);
  GeneratedProblem result{.name = {}, .problem = {}, .capacity_bytes = kCapacity};
  const int64_t grain_bytes = kCapacity / kind.grains;
  for (const Box& box : Cutter(kind).boxes()) {
    if (draws.percent(kind.holes)) continue;
    Life life = box.life;
    // A tenth, or one.
    const int64_t most = std::max<int64_t>((life.end - life.begin) / 10, 1);
    if (kind.jitter > 0 && draws.percent(kind.jitter)) life.begin += draws.between(0, most);
    if (kind.jitter > 0 && draws.percent(kind.jitter)) life.end -= draws.between(0, most);
    if (life.begin >= life.end) life = box.life;
    result.problem.buffers.push_back(
        {.size_bytes = box.height() * grain_bytes, .lives = {life}, .address = {}});
  }
  // No order may tell how they were cut.
  std::vector<Buffer>& buffers = result.problem.buffers;
  for (int64_t i = std::ssize(buffers) - 1; i > 0; --i) {
    std::swap(buffers[static_cast<size_t>(i)], buffers[static_cast<size_t>(draws.between(0, i))]);
  }
  return result;
}

GeneratedProblem graph_problem(int buffers, uint32_t seed) {
  Draws draws(seed);
  GeneratedProblem result;
  std::vector<Buffer>& all = result.problem.buffers;
  for (int64_t op = 0; op < buffers; ++op) {
    for (int64_t input = draws.between(1, 3); input > 0 && op > 0; --input) {
      const int64_t reach = draws.percent(5) ? 100 : draws.percent(50) ? 10 : 2;
      const int64_t read = std::max<int64_t>(0, op - draws.between(1, reach));
      Life& life = all[static_cast<size_t>(read)].lives[0];
      life.end = std::max(life.end, op + 1);
    }
    const int64_t grains = draws.between(1, int64_t{1} << draws.between(4, 10));
    all.push_back({.size_bytes = grains * kGrain, .lives = {{op, op + 1}}, .address = {}});
  }
  result.capacity_bytes = lower_bound_bytes(result.problem) * 105 / 100;
  return result;
}

const std::vector<std::string>& generated_families() {
  static const std::vector<std::string> names = {"guillotine", "pinwheel", "holes", "loose",
                                                 "graph",      "coarse",   "jitter"};
  return names;
}

GeneratedProblem generated_problem(const std::string& family, int number, int most_buffers) {
  const auto seed = static_cast<uint32_t>(number);
  const int buffers = 100 + (most_buffers - 100) * (number % 20) / 19;
  PackingKind kind{.buffers = buffers, .pinwheels = 30, .seed = seed};
  if (family == "guillotine") kind.pinwheels = 0;
  if (family == "holes") kind.holes = 1;
  if (family == "loose") kind.holes = 5;
  if (family == "coarse") {
    constexpr std::array<std::pair<int64_t, int64_t>, 3> kGrids = {
        {{40, 64}, {100, 256}, {40, 16384}}};
    std::tie(kind.times, kind.grains) = kGrids[seed % kGrids.size()];
    kind.pinwheels = 0;
  }
  if (family == "jitter") {
    kind.jitter = std::array{10, 30, 100}[seed % 3];
    kind.pinwheels = seed % 2 == 0 ? 0 : 30;
  }
  GeneratedProblem result =
      family == "graph" ? graph_problem(buffers, seed) : packing_problem(kind);
  result.name = fmt::format("{}-{}", family, number);
  return result;
}

}  // namespace thimble::layout
