// SPDX-License-Identifier: Apache-2.0
// The picture of a plan:
//
//   title, legend
//        | i0 < 144              |                loops, shaded down to the axis
//   addr |+-----------+
//    ^   ||b3 y 676 B |+-------+
//    |   |+-----------+|b4     |
//        +----------------------- steps ->
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/report/plan_report.h"
#include "thimble/report/rectangle_label.h"
#include "thimble/report/schedule_words.h"
#include "thimble/report/svg.h"
#include "thimble/report/tensor_text.h"
#include "thimble/report/xml_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr double kLeft = 92, kRight = 24, kHeader = 52, kLoopRow = 18, kPlotHeight = 480;
constexpr double kStepGap = 6, kFooter = 24;
constexpr double kFont = kSvgFont, kSmallFont = 10;
// Widths of all columns together, and of one.
constexpr double kLeastWidth = 620, kUsualWidth = 1400, kLeastColumn = 8, kMostColumn = 90;

const char* colour(BufferKind kind) {
  switch (kind) {
    case BufferKind::kWhole:
      return "#b9d4ef";
    case BufferKind::kBlock:
      return "#bfe3e0";
    case BufferKind::kSlice:
      return "#fbdba4";
    case BufferKind::kRing:
      return "#c5e6b8";
    case BufferKind::kAccumulators:
      return "#f3bcbc";
    case BufferKind::kScratch:
      return "#d8d8d8";
    case BufferKind::kConstants:
      return "#d9c8ec";
    case BufferKind::kUser:  // not in the arena, and not in the picture
    case BufferKind::kStreamed:
      return "none";
  }
  throw InternalError("unknown BufferKind");
}

// 1, 2 or 5 times a power of ten: about six of them up to `most`.
int64_t tick_distance(int64_t most) {
  constexpr int64_t kTicks = 6;
  int64_t distance = 1;
  while (distance * kTicks < most) {
    const bool two = std::to_string(distance).front() == '2';
    distance = two ? distance / 2 * 5 : distance * 2;
  }
  return distance;
}

std::string rectangle(const Rectangle& r) {
  return fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", r.x, r.y,
                     r.width, r.height);
}

class Picture {
 public:
  explicit Picture(const PlanReport& report)
      : report_(report),
        schedule_(report.plan.schedule),
        lives_(live_ranges(schedule_)),
        loops_(loop_extents(schedule_)),
        memories_(report.plan.placement.in_use()) {
    columns_ = std::max<Position>(1, static_cast<Position>(step_counts(schedule_).written));
    for (LiveRange& life : lives_) {  // a port that no step touches is there all the same
      life.end = std::max(life.end, life.begin + 1);
      columns_ = std::max(columns_, life.end);
    }
    for (const LoopExtent& loop : loops_) depth_ = std::max(depth_, loop.depth + 1);
    column_ = std::clamp(kUsualWidth / columns_, kLeastColumn, kMostColumn);
    column_ = std::max(column_, kLeastWidth / columns_);
    base_.resize(schedule_.memories.size());
    for (const MemoryId id : memories_) {
      base_[id.index()] = most_address_;
      most_address_ += report.plan.placement.memory(id).size_bytes;
    }
    most_address_ = std::max<int64_t>(1, most_address_);
    for_each_labelled_step([&](Position, const std::string& label) {
      label_room_ = std::max(label_room_, 2 * kStepGap + text_width(label, kSmallFont));
    });
  }

  std::string run() {
    const std::string head = heading() + legend();  // which may be wider than the plot
    const double width = std::max(x(columns_), head_end_) + kRight;
    const double height = bottom() + label_room_ + kFooter;
    return svg_page(
        width, height,
        head + loops() + address_axis() + buffers() + shared() + labels() + step_axis());
  }

 private:
  double top() const { return kHeader + depth_ * kLoopRow + kLoopRow; }
  double bottom() const { return top() + kPlotHeight; }
  double x(Position position) const { return kLeft + position * column_; }
  double y(int64_t address) const {
    return bottom() -
           kPlotHeight * static_cast<double>(address) / static_cast<double>(most_address_);
  }

  bool is_drawn(size_t b) const { return is_laid_out(schedule_.buffers[b].memory); }
  // In the picture: one memory above the other.
  int64_t address(size_t b) const {
    return base_[schedule_.buffers[b].memory.index()] + report_.plan.placement.addresses[b];
  }
  int64_t end_address(size_t b) const { return address(b) + schedule_.buffers[b].size_bytes(); }

  Rectangle box(size_t b, const LiveRange& life) const {
    return {x(life.begin), y(end_address(b)), x(life.end) - x(life.begin),
            y(address(b)) - y(end_address(b))};
  }

  std::string heading() {
    constexpr double kTitleFont = 15;
    const std::string title = fmt::format("{} (planner {}): arena {} B", title_text(report_.model),
                                          display_name(report_.plan.planner),
                                          with_separators(report_.plan.placement.arena_bytes()));
    head_end_ = std::max(head_end_, kLeft + text_width(title, kTitleFont));
    return fmt::format("<g font-size=\"{}\">{}</g>\n", kTitleFont,
                       svg_text(kLeft, 22, "start", title));
  }

  std::string legend() {
    std::string svg;
    double at = kLeft;
    for (BufferKind kind : kBufferKinds) {
      if (kind == BufferKind::kUser || kind == BufferKind::kStreamed) continue;
      const bool there = std::any_of(
          schedule_.buffers.begin(), schedule_.buffers.end(),
          [&](const Buffer& buffer) { return buffer_kind(report_.graph, buffer) == kind; });
      if (!there) continue;
      svg += rectangle({at, 33, 14, 12}) +
             fmt::format(" fill=\"{}\" stroke=\"#44546a\"/>\n", colour(kind));
      svg += svg_text(at + 19, 43, "start", name(kind));
      at += 19 + text_width(name(kind), kFont) + 22;
    }
    if (!schedule_.shares.empty()) {
      svg += rectangle({at, 33, 14, 12}) + " fill=\"url(#shared)\" stroke=\"#44546a\"/>\n";
      const std::string text = "an output over bytes of its input that have been read";
      svg += svg_text(at + 19, 43, "start", text);
      at += 19 + text_width(text, kFont) + 22;
    }
    const std::string key = "b7: buffer 7 of `thimble plan`, as its tooltip says";
    head_end_ = std::max(head_end_, at + text_width(key, kFont));
    return svg + svg_text(at, 43, "start", key);
  }

  // Bytes that an output and its input share, in the time that both live.
  std::string shared() const {
    std::string svg =
        "<defs><pattern id=\"shared\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#44546a\" "
        "stroke-width=\"1.5\"/></pattern></defs>\n<g pointer-events=\"none\">\n";
    for (const Share& share : schedule_.shares) {
      const size_t out = share.out.index(), in = share.in.index();
      if (!is_drawn(out) || !is_drawn(in)) continue;
      const Rectangle a = box(out, lives_[out]), b = box(in, lives_[in]);
      const double left = std::max(a.x, b.x), top = std::max(a.y, b.y);
      const Rectangle both{left, top, std::min(a.x + a.width, b.x + b.width) - left,
                           std::min(a.y + a.height, b.y + b.height) - top};
      if (both.width > 0 && both.height > 0)
        svg += rectangle(both) + " fill=\"url(#shared)\" fill-opacity=\"0.6\"/>\n";
    }
    return svg + "</g>\n";
  }

  // Nested ones darken each other.
  std::string loops() const {
    std::string svg;
    for (const LoopExtent& loop : loops_) {
      const double head = kHeader + loop.depth * kLoopRow;
      const Rectangle band{x(loop.steps.begin), head, x(loop.steps.end) - x(loop.steps.begin),
                           bottom() - head};
      const std::string text = loop_text(loop);
      svg += rectangle(band) +
             fmt::format(
                 " class=\"loop\" fill=\"#6a4fb3\" fill-opacity=\"0.10\" "
                 "stroke=\"#6a4fb3\" stroke-opacity=\"0.5\"><title>loop {}, steps [{}, "
                 "{})</title></rect>\n",
                 xml_text(text), loop.steps.begin, loop.steps.end);
      if (text_width(text, kFont) + 8 <= band.width)
        svg += svg_text(band.x + 4, head + 13, "start", text);
    }
    return svg;
  }

  std::string address_axis() const {
    std::string svg = "<g stroke=\"#c8ced6\">\n";
    const int64_t distance = tick_distance(most_address_);
    const auto line = [&](int64_t at, const char* style) {
      return svg_line(kLeft - 5, y(at), x(columns_), y(at), style);
    };
    std::string numbers;
    for (const MemoryId id : memories_) {
      const int64_t base = base_[id.index()];
      const int64_t size = std::max<int64_t>(1, report_.plan.placement.memory(id).size_bytes);
      for (int64_t at = 0; at <= size; at += distance) {
        svg += line(base + at, "");
        // Where another memory lies above, its 0 has that place.
        const bool last = id == memories_.back();
        if (last || y(base + at) - y(base + size) >= kFont)
          numbers += svg_text(kLeft - 9, y(base + at) + 4, "end", with_separators(at));
      }
      svg += line(base + size, " stroke=\"#b03030\" stroke-dasharray=\"6 4\"");
    }
    svg += "</g>\n" + numbers;
    return svg + upright_svg_text(20, (top() + bottom()) / 2, "middle",
                                  memories_.size() == 1 ? "address in the arena (bytes)"
                                                        : "address in each memory (bytes)");
  }

  std::string buffers() const {
    std::string svg = "<g stroke=\"#44546a\" stroke-width=\"0.8\" fill-opacity=\"0.85\">\n";
    for (size_t b : drawing_order()) {
      const Buffer& buffer = schedule_.buffers[b];
      const BufferKind kind = buffer_kind(report_.graph, buffer);
      const std::string holds = held_text(report_.graph, buffer);
      const std::string what = fmt::format(
          "b{} {}: {}{}, {} {}, {} B at {}, steps [{}, {})", b, buffer_name(report_.graph, buffer),
          name(kind), holds.empty() ? "" : " (" + holds + ")", name(buffer.type),
          to_string(buffer.extents), with_separators(buffer.size_bytes()),
          with_separators(report_.plan.placement.addresses[b]), lives_[b].begin, lives_[b].end);
      svg += rectangle(box(b, lives_[b])) +
             fmt::format(" class=\"buffer\" id=\"b{}\" fill=\"{}\"><title>{}</title></rect>\n", b,
                         colour(kind), xml_text(what));
    }
    return svg + "</g>\n";
  }

  // An output lies on top of the input whose bytes it takes.
  std::vector<size_t> drawing_order() const {
    std::vector<size_t> order;
    for (size_t b = 0; b < lives_.size(); ++b) {
      if (is_drawn(b)) order.push_back(b);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return lives_[a].begin < lives_[b].begin; });
    return order;
  }

  std::string labels() const {
    std::string svg = "<g pointer-events=\"none\">\n";
    std::vector<Rectangle> taken;
    for (const MemoryId id : memories_) {  // above the line where it ends
      const int64_t size = report_.plan.placement.memory(id).size_bytes;
      const std::string text =
          fmt::format("{} {} B", schedule_.memory(id).name, with_separators(size));
      const double right = x(columns_), base = y(base_[id.index()] + size) - 5;
      taken.push_back(
          {right - text_width(text, kFont), base - kFont, text_width(text, kFont), kFont});
      svg += svg_text(right, base, "end", text);
    }
    for (size_t b = 0; b < lives_.size(); ++b) {
      if (is_drawn(b)) svg += label(b, taken);
    }
    return svg + "</g>\n";
  }

  // Nothing where it would lie over another label: the rectangle has its title.
  std::string label(size_t b, std::vector<Rectangle>& taken) const {
    const Rectangle room = box(b, free_life(b));
    const Buffer& buffer = schedule_.buffers[b];
    const FittedLabel label =
        fit_label(room, buffer_name(report_.graph, buffer),
                  with_separators(buffer.size_bytes()) + " B", fmt::format("b{}", b), kFont);
    const double line = 1.2 * kFont;
    // Baseline of the first line, so that all of them are in the middle.
    const double first = 0.35 * kFont - line * (static_cast<double>(label.lines.size()) - 1) / 2;
    const double middle_x = room.x + room.width / 2, middle_y = room.y + room.height / 2;
    double along = 0;
    for (const std::string& text : label.lines) along = std::max(along, text_width(text, kFont));
    const double across = line * static_cast<double>(label.lines.size());
    const double width = label.upright ? across : along, height = label.upright ? along : across;
    const Rectangle place{middle_x - width / 2, middle_y - height / 2, width, height};
    if (std::ranges::any_of(taken, [&](const Rectangle& r) { return meet(r, place); })) return "";
    taken.push_back(place);
    std::string svg;
    for (size_t k = 0; k < label.lines.size(); ++k) {
      const double shift = first + line * static_cast<double>(k);
      svg += label.upright ? upright_svg_text(middle_x + shift, middle_y, "middle", label.lines[k])
                           : svg_text(middle_x, middle_y + shift, "middle", label.lines[k]);
    }
    return svg;
  }

  // The longest part of its life in which nobody else lies on its bytes; all of it if there is
  // none.
  LiveRange free_life(size_t b) const {
    std::vector<bool> taken(static_cast<size_t>(lives_[b].end - lives_[b].begin));
    for (size_t other = 0; other < lives_.size(); ++other) {
      const bool meets =
          is_drawn(other) && address(other) < end_address(b) && address(b) < end_address(other);
      if (other == b || !meets) continue;
      const Position end = std::min(lives_[b].end, lives_[other].end);
      for (Position at = std::max(lives_[b].begin, lives_[other].begin); at < end; ++at)
        taken[static_cast<size_t>(at - lives_[b].begin)] = true;
    }
    LiveRange best{0, 0}, run{0, 0};
    for (bool t : taken) {
      run = t ? LiveRange{run.end + 1, run.end + 1} : LiveRange{run.begin, run.end + 1};
      if (run.end - run.begin > best.end - best.begin) best = run;
    }
    if (best.end == best.begin) return lives_[b];
    return {lives_[b].begin + best.begin, lives_[b].begin + best.end};
  }

  // Steps whose labels stand apart from one another: visit(position, label).
  template <typename Visit>
  void for_each_labelled_step(Visit visit) const {
    const auto every = static_cast<Position>(std::ceil(1.2 * kSmallFont / column_));
    for_each_step(schedule_, [&](const Step& step, Position position) {
      if (position % every != 0) return;
      visit(position,
            fmt::format("step {}: {}", position, step_label(report_.graph, schedule_, step)));
    });
  }

  std::string step_axis() const {
    std::string svg = fmt::format("<g font-size=\"{}\">\n", kSmallFont);
    for_each_labelled_step([&](Position position, const std::string& label) {
      svg += upright_svg_text(x(position) + column_ / 2 + 0.35 * kSmallFont, bottom() + kStepGap,
                              "end", label);
    });
    return svg + "</g>\n" +
           svg_text((kLeft + x(columns_)) / 2, bottom() + label_room_ + 14, "middle",
                    "steps in their order, each as wide; of a loop one iteration");
  }

  const PlanReport& report_;
  const Schedule& schedule_;
  std::vector<LiveRange> lives_;
  std::vector<LoopExtent> loops_;
  Position columns_ = 1;
  int depth_ = 0;  // of nested loops
  double column_ = 0;
  std::vector<MemoryId> memories_;
  std::vector<int64_t> base_;  // by memory: its first address in the picture
  int64_t most_address_ = 0;
  double head_end_ = 0;
  double label_room_ = 0;  // for the labels of steps, below the memories
};

}  // namespace

std::string plan_svg(const PlanReport& report) { return Picture(report).run(); }

}  // namespace thimble
