// SPDX-License-Identifier: Apache-2.0
// The picture of a simulation: a lane for the core and one for each storage.
//
//   title, legend
//   core   |CONV_2D #2 |wait|CONV_2D #4  |
//   qspi   |    erase       |write|
//          +-----------------------------> ms
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/report/rectangle_label.h"
#include "thimble/report/schedule_words.h"
#include "thimble/report/simulation_report.h"
#include "thimble/report/svg.h"
#include "thimble/report/tensor_text.h"
#include "thimble/report/xml_text.h"

namespace thimble {
namespace {

constexpr double kTimeLeft = 110, kTimeWidth = 1200, kTimeRight = 40;
constexpr double kLaneTop = 66, kLaneHeight = 44, kLaneGap = 14, kTimeFooter = 50;
constexpr double kColumnsPerPixel = 2;
/// A lane with more spans is drawn by columns.
constexpr size_t kMostDrawnSpans = 2000;

struct SpanLook {
  const char* colour;
  std::string what;  ///< in the legend
};

SpanLook look_of(const TimeSpan& span) {
  switch (span.kind) {
    case TimeSpan::Kind::kCompute:
      return {"#b9d4ef", "computes"};
    case TimeSpan::Kind::kWait:
      switch (span.cause) {
        case WaitCause::kRead:
          return {"#e7c1e0", "waits for a read"};
        case WaitCause::kWrite:
          return {"#f3bcbc", "waits for a write"};
        case WaitCause::kErase:
          return {"#e58f8f", "waits for an erase"};
        case WaitCause::kQueue:
          return {"#d8d8d8", "waits for what was begun before"};
        case WaitCause::kStall:
          return {"#9a9a9a", "stopped by its flash"};
      }
      break;
    case TimeSpan::Kind::kWork:
      switch (span.work) {
        case ChannelWork::kRead:
          return {"#c5e6b8", "reads"};
        case ChannelWork::kWrite:
          return {"#fbdba4", "writes"};
        case ChannelWork::kErase:
          return {"#e9a96b", "erases"};
      }
      break;
  }
  throw InternalError("unknown TimeSpan");
}

// 1, 2 or 5 times a power of ten: about eight of them up to `most`.
double time_step(double most) {
  constexpr double kSteps = 8;
  const double rough = most / kSteps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double times = rough / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

class TimePicture {
 public:
  explicit TimePicture(const SimulationReport& report)
      : report_(report), lanes_(report.simulation.storages.size() + 1) {
    for (const TimeSpan& span : report.simulation.spans) {
      if (span.end <= span.begin) continue;
      lanes_[static_cast<size_t>(span.lane + 1)].push_back(span);
      end_ = std::max(end_, span.end);
    }
    for (std::vector<TimeSpan>& lane : lanes_) std::ranges::stable_sort(lane, {}, &TimeSpan::begin);
    for_each_step(report.plan.schedule, [&](const Step& step, Position) {
      labels_.push_back(step_label(report.graph, report.plan.schedule, step));
    });
  }

  std::string run() const {
    std::string body = heading() + legend();
    for (size_t lane = 0; lane < lanes_.size(); ++lane) body += lane_svg(lane);
    return svg_page(kTimeLeft + kTimeWidth + kTimeRight, bottom() + kTimeFooter, body + axis());
  }

 private:
  double x(double seconds) const {
    return kTimeLeft + (end_ > 0 ? kTimeWidth * seconds / end_ : 0);
  }
  static double top_of(size_t lane) {
    return kLaneTop + static_cast<double>(lane) * (kLaneHeight + kLaneGap);
  }
  double bottom() const { return top_of(lanes_.size()); }

  std::string heading() const {
    return "<g font-size=\"15\">" +
           svg_text(
               kTimeLeft, 22, "start",
               fmt::format("{}{} (planner {}): {:.3f} ms an inference", display_name(report_.model),
                           report_.device.empty() ? "" : " on " + report_.device,
                           display_name(report_.plan.planner), 1e3 * report_.simulation.seconds)) +
           "</g>\n";
  }

  // What there is, in the order in which it is first seen.
  std::string legend() const {
    std::vector<SpanLook> looks;
    for (const std::vector<TimeSpan>& lane : lanes_) {
      for (const TimeSpan& span : lane) {
        const SpanLook look = look_of(span);
        if (std::ranges::find(looks, look.what, &SpanLook::what) == looks.end())
          looks.push_back(look);
      }
    }
    std::string svg;
    double at = kTimeLeft;
    for (const SpanLook& look : looks) {
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"33\" width=\"14\" height=\"12\" fill=\"{}\" "
          "stroke=\"#44546a\"/>\n",
          at, look.colour);
      svg += svg_text(at + 19, 43, "start", look.what);
      at += 19 + text_width(look.what, kSvgFont) + 22;
    }
    return svg;
  }

  std::string words(const TimeSpan& span) const {
    const auto label = static_cast<size_t>(span.label);
    const bool step = span.kind == TimeSpan::Kind::kCompute && span.label >= 0;
    return step && label < labels_.size() ? labels_[label] : look_of(span).what;
  }

  std::string rectangle_svg(const TimeSpan& span, size_t lane, const std::string& title) const {
    return fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"span\" "
        "fill=\"{}\"><title>{}: {:.4f} to {:.4f} ms</title></rect>\n",
        x(span.begin), top_of(lane), std::max(x(span.end) - x(span.begin), 0.1), kLaneHeight,
        look_of(span).colour, xml_text(title), 1e3 * span.begin, 1e3 * span.end);
  }

  std::string lane_svg(size_t lane) const {
    const std::string name = lane == 0 ? "core" : report_.simulation.storages[lane - 1].name;
    std::string svg = svg_text(kTimeLeft - 9, top_of(lane) + kLaneHeight / 2 + 4, "end", name);
    if (lanes_[lane].size() > kMostDrawnSpans) return svg + columns_svg(lane);
    std::string texts;
    svg += "<g stroke=\"#44546a\" stroke-width=\"0.4\">\n";
    for (const TimeSpan& span : lanes_[lane]) {
      svg += rectangle_svg(span, lane, words(span));
      const Rectangle room{x(span.begin), top_of(lane), x(span.end) - x(span.begin), kLaneHeight};
      const std::string time = fmt::format("{:.1f} ms", 1e3 * (span.end - span.begin));
      const FittedLabel label = fit_label(room, words(span), time, "", kSvgFont);
      const double line = 1.2 * kSvgFont;
      const double first =
          0.35 * kSvgFont - line * (static_cast<double>(label.lines.size()) - 1) / 2;
      for (size_t k = 0; k < label.lines.size(); ++k) {
        const double shift = first + line * static_cast<double>(k);
        const double middle_x = room.x + room.width / 2, middle_y = room.y + room.height / 2;
        texts += label.upright
                     ? upright_svg_text(middle_x + shift, middle_y, "middle", label.lines[k])
                     : svg_text(middle_x, middle_y + shift, "middle", label.lines[k]);
      }
    }
    return svg + "</g>\n<g pointer-events=\"none\">\n" + texts + "</g>\n";
  }

  // In each column what takes the most of it.
  std::string columns_svg(size_t lane) const {
    const auto count = static_cast<size_t>(kTimeWidth * kColumnsPerPixel);
    const double width = end_ / static_cast<double>(count);
    std::vector<const TimeSpan*> most(count);
    std::vector<double> taken(count);
    for (const TimeSpan& span : lanes_[lane]) {
      const auto first = static_cast<size_t>(span.begin / width);
      for (size_t c = first; c < count && static_cast<double>(c) * width < span.end; ++c) {
        const double begin = static_cast<double>(c) * width;
        const double part = std::min(span.end, begin + width) - std::max(span.begin, begin);
        if (part <= taken[c]) continue;
        taken[c] = part;
        most[c] = &span;
      }
    }
    std::string svg;
    for (size_t c = 0; c < count;) {
      size_t end = c + 1;
      const auto same = [&](const TimeSpan* a, const TimeSpan* b) {
        return (a == nullptr) == (b == nullptr) &&
               (a == nullptr || look_of(*a).what == look_of(*b).what);
      };
      while (end < count && same(most[c], most[end])) ++end;
      if (most[c] != nullptr) {
        TimeSpan span = *most[c];
        span.begin = static_cast<double>(c) * width;
        span.end = static_cast<double>(end) * width;
        svg += rectangle_svg(span, lane, "mostly " + look_of(span).what);
      }
      c = end;
    }
    return svg;
  }

  std::string axis() const {
    std::string svg =
        svg_line(kTimeLeft, bottom(), kTimeLeft + kTimeWidth, bottom(), " stroke=\"#44546a\"");
    if (end_ > 0) {
      const double step = time_step(1e3 * end_);
      for (int k = 0; step * k <= 1e3 * end_; ++k) {
        const double at = x(step * k / 1e3);
        svg += svg_line(at, kLaneTop, at, bottom() + 5, " stroke=\"#c8ced6\"");
        svg += svg_text(at, bottom() + 18, "middle", fmt::format("{:g}", step * k));
      }
    }
    return svg + svg_text(kTimeLeft + kTimeWidth / 2, bottom() + 38, "middle", "time (ms)");
  }

  const SimulationReport& report_;
  std::vector<std::vector<TimeSpan>> lanes_;  ///< the core's first
  std::vector<std::string> labels_;           ///< by position
  double end_ = 0;                            ///< seconds
};

}  // namespace

std::string simulation_svg(const SimulationReport& report) { return TimePicture(report).run(); }

}  // namespace thimble
