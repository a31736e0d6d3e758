// SPDX-License-Identifier: Apache-2.0
// The picture of a front:
//
//   M instructions
//     ^   (1)            sram limit
//     | - - -|- - - - - - -:- - latency limit
//     |      +--(2)        :
//     |          +---------:--(3)
//     +----------------------------> KiB of SRAM
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/report/front_words.h"
#include "thimble/report/rectangle_label.h"
#include "thimble/report/svg.h"
#include "thimble/report/xml_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr double kFrontLeft = 84, kFrontRight = 96, kFrontTop = 70, kFrontBottom = 60;
constexpr double kFrontWidth = 620, kFrontHeight = 380;
constexpr double kDot = 4.5;
constexpr const char* kLimitColour = "#b03030";

double kib(int64_t size_bytes) { return static_cast<double>(size_bytes) / 1024; }
double mega_of(double instructions) { return instructions / 1e6; }

// Values along one axis, and where they lie on the page.
struct Scale {
  double least = 0, most = 1;  // values at its ends
  double begin = 0, end = 1;   // on the page
  bool logarithmic = false;

  double at(double value) const {
    const double part = logarithmic ? std::log(value / least) / std::log(most / least)
                                    : (value - least) / (most - least);
    return begin + part * (end - begin);
  }
  bool has(double value) const { return value >= least && value <= most; }
};

// From values above 0, with some room on both sides; what differs by little fills the page no more
// than it should.
Scale scale_of(double least, double most, double begin, double end) {
  constexpr double kRoom = 0.08, kLogarithmicFrom = 4, kLeastSpan = 0.05;
  if (most > kLogarithmicFrom * least) {
    const double room = std::pow(most / least, kRoom);
    return {least / room, most * room, begin, end, true};
  }
  const double span = most > 0 ? std::max(most - least, kLeastSpan * most) : 1;
  const double middle = (least + most) / 2, half = span * (0.5 + kRoom);
  return {std::max(0.0, middle - half), middle + half, begin, end};
}

// With a limit, if there is one, wherever it lies; from 0 where there is but one value.
Scale scale_with(double least, double most, double limit, double begin, double end) {
  constexpr double kBeyond = 1.25;
  if (limit > 0) {
    least = std::min(least, limit);
    most = std::max(most, limit);
  }
  if (least == most) return {0, most > 0 ? kBeyond * most : 1, begin, end};
  return scale_of(least, most, begin, end);
}

// 1, 2 or 5 times a power of ten: some eight of them; along a logarithmic scale, all.
std::vector<double> ticks(const Scale& scale) {
  constexpr double kTicks = 8;
  std::vector<double> values;
  if (scale.logarithmic) {
    for (double power = std::pow(10, std::floor(std::log10(scale.least))); power < scale.most;
         power *= 10) {
      for (const double times : {1, 2, 5}) {
        if (scale.has(times * power)) values.push_back(times * power);
      }
    }
    return values;
  }
  const double rough = (scale.most - scale.least) / kTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double times = rough / power;
  const double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  for (double k = std::ceil(scale.least / step); k * step <= scale.most; ++k)
    values.push_back(k * step);
  return values;
}

class FrontPicture {
 public:
  explicit FrontPicture(const Front& front) : front_(front) {
    const FrontFigures &smallest = front.points.front(), &fastest = front.points.back();
    x_ = scale_with(kib(smallest.arena_bytes), kib(fastest.arena_bytes),
                    front.sram_limit_bytes ? kib(*front.sram_limit_bytes) : 0, kFrontLeft,
                    kFrontLeft + kFrontWidth);
    const double slowest = mega_of(fastest.instructions) * front.max_latency;
    y_ = scale_with(mega_of(fastest.instructions), mega_of(smallest.instructions),
                    std::isfinite(slowest) ? slowest : 0, kFrontTop + kFrontHeight, kFrontTop);
  }

  std::string run(const std::string& title) {
    std::string svg =
        "<g font-size=\"15\">" + svg_text(kFrontLeft, 24, "start", title_text(title)) + "</g>\n";
    svg += svg_text(kFrontLeft, 44, "start",
                    fmt::format("SRAM against {} estimated on {}; filled: the plan that is taken",
                                front_.unit, front_.core));
    svg += axes() + limits() + steps() + dots();
    return svg_page(kFrontLeft + kFrontWidth + kFrontRight, kFrontTop + kFrontHeight + kFrontBottom,
                    svg);
  }

 private:
  double x(size_t k) const { return x_.at(kib(front_.points[k].arena_bytes)); }
  double y(size_t k) const { return y_.at(mega_of(front_.points[k].instructions)); }

  std::string axes() const {
    std::string lines = "<g stroke=\"#c8ced6\">\n", numbers;
    for (const double value : ticks(x_)) {
      lines += svg_line(x_.at(value), y_.end, x_.at(value), y_.begin + 5, "");
      numbers += svg_text(x_.at(value), y_.begin + 18, "middle", fmt::format("{:g}", value));
    }
    for (const double value : ticks(y_)) {
      lines += svg_line(x_.begin - 5, y_.at(value), x_.end, y_.at(value), "");
      numbers += svg_text(x_.begin - 9, y_.at(value) + 4, "end", fmt::format("{:g}", value));
    }
    return lines + "</g>\n" + numbers +
           svg_text((x_.begin + x_.end) / 2, y_.begin + 42, "middle", "SRAM (KiB)") +
           upright_svg_text(24, (y_.begin + y_.end) / 2, "middle",
                            fmt::format("estimated {} (millions)", front_.unit)) +
           milliseconds_axis();
  }

  // To the right, where the clock is known.
  std::string milliseconds_axis() const {
    if (front_.clock_hz <= 0) return "";
    const double per_mega = 1e9 / static_cast<double>(front_.clock_hz);
    const Scale ms{y_.least * per_mega, y_.most * per_mega, y_.begin, y_.end, y_.logarithmic};
    std::string svg;
    for (const double value : ticks(ms))
      svg += svg_text(x_.end + 9, ms.at(value) + 4, "start", fmt::format("{:g}", value));
    return svg + upright_svg_text(x_.end + 62, (y_.begin + y_.end) / 2, "middle",
                                  fmt::format("ms at {} MHz if each takes a cycle",
                                              front_.clock_hz / 1'000'000));
  }

  std::string limits() const {
    const std::string style = fmt::format(" stroke=\"{}\" stroke-dasharray=\"6 4\"", kLimitColour);
    std::string svg = fmt::format("<g fill=\"{}\">\n", kLimitColour);
    if (front_.sram_limit_bytes && x_.has(kib(*front_.sram_limit_bytes))) {
      const double at = x_.at(kib(*front_.sram_limit_bytes));
      svg += svg_line(at, y_.begin, at, y_.end, style) +
             svg_text(at, y_.end - 6, at > kFrontLeft + kFrontWidth / 2 ? "end" : "start",
                      fmt::format("limit {}", human_size(*front_.sram_limit_bytes)));
    }
    const double slowest = mega_of(front_.points.back().instructions) * front_.max_latency;
    if (y_.has(slowest)) {
      svg += svg_line(x_.begin, y_.at(slowest), x_.end, y_.at(slowest), style) +
             svg_text(x_.end, y_.at(slowest) - 5, "end",
                      fmt::format("--max-latency {}", front_.max_latency));
    }
    return svg + "</g>\n";
  }

  // The fewest instructions that so many bytes can buy.
  std::string steps() const {
    std::string points = fmt::format("{:.2f},{:.2f}", x(0), y_.end);
    for (size_t k = 0; k < front_.points.size(); ++k) {
      if (k > 0) points += fmt::format(" {:.2f},{:.2f}", x(k), y(k - 1));
      points += fmt::format(" {:.2f},{:.2f}", x(k), y(k));
    }
    points += fmt::format(" {:.2f},{:.2f}", x_.end, y(front_.points.size() - 1));
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#44546a\"/>\n", points);
  }

  std::string dots() const {
    std::string svg, labels;
    std::vector<Rectangle> taken;
    for (size_t k = 0; k < front_.points.size(); ++k)
      taken.push_back({x(k) - kDot, y(k) - kDot, 2 * kDot, 2 * kDot});
    for (size_t k = 0; k < front_.points.size(); ++k) {
      const FrontFigures& point = front_.points[k];
      const std::string what =
          fmt::format("{}, {:.3f} M", human_size(point.arena_bytes), mega_of(point.instructions));
      svg += fmt::format(
          "<circle class=\"plan\" id=\"plan{0}\" cx=\"{1:.2f}\" cy=\"{2:.2f}\" r=\"{3}\" "
          "fill=\"{4}\" stroke=\"#2b5c8a\" stroke-width=\"1.5\"><title>{5}</title></circle>\n",
          k + 1, x(k), y(k), kDot, k == front_.picked ? "#2b5c8a" : "#ffffff",
          xml_text(fmt::format("plan {}: {} {}", k + 1, what, front_.unit)));
      labels += label(k, fmt::format("{}: {:.1f} KiB", k + 1, kib(point.arena_bytes)), taken);
    }
    return svg + "<g stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">\n" + labels +
           "</g>\n";
  }

  // Beside the dot where there is room: with its size, or else the number alone.
  std::string label(size_t k, const std::string& text, std::vector<Rectangle>& taken) const {
    for (const std::string& words : {text, std::to_string(k + 1)}) {
      const double width = text_width(words, kSvgFont), height = 1.1 * kSvgFont;
      for (const auto& [dx, dy] : {std::pair{7.0, -7.0},
                                   {7.0, 7.0 + height},
                                   {-7.0 - width, -7.0},
                                   {9.0, 4.0},
                                   {-7.0 - width, 7.0 + height}}) {
        const Rectangle room{x(k) + dx, y(k) + dy - height, width, height};
        if (std::ranges::any_of(taken, [&](const Rectangle& r) { return meet(r, room); })) continue;
        taken.push_back(room);
        return svg_text(room.x, room.y + height - 2, "start", words);
      }
    }
    return "";  // the circle has its title
  }

  const Front& front_;
  Scale x_, y_;
};

}  // namespace

std::string front_svg(const Front& front, const std::string& title) {
  return FrontPicture(front).run(title);
}

}  // namespace thimble
