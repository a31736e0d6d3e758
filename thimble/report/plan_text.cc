// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/report/estimate_words.h"
#include "thimble/report/front_words.h"
#include "thimble/report/peak.h"
#include "thimble/report/plan_report.h"
#include "thimble/report/schedule_words.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

std::string counted(int64_t count, const char* thing) {
  return fmt::format("{} {}{}", with_separators(count), thing, count == 1 ? "" : "s");
}

// At the arena's peak, and, without a limit, which of it could lie elsewhere.
std::string what_is_live(const PlanReport& report) {
  const std::optional<Peak> peak = peak_of(report.graph, report.plan, report.live_bytes);
  if (!peak) return "\n";
  std::string text = peak_text(report.graph, report.plan, *peak);
  if (report.sram_limit_bytes) return text;
  for (const std::string& hint : hints(report.graph, report.plan, *peak))
    text += "  hint   " + hint + "\n";
  return text;
}

std::string heading(const PlanReport& report) {
  const Placement& placement = report.plan.placement;
  const StepCounts steps = step_counts(report.plan.schedule);
  std::string text = fmt::format("{} (planner {})\n", report.model, report.plan.planner);
  const Schedule& schedule = report.plan.schedule;
  for (const MemoryId id : placement.in_use()) {
    text +=
        fmt::format("  {:<6} {}\n", schedule.memory(id).name, memory_text(schedule, placement, id));
    text += fmt::format("  peak   {}", human_size(placement.memory(id).peak_bytes));
    text += id == kArena ? what_is_live(report) : "\n";
  }
  text += fmt::format("  work   {}", counted(steps.written, "step"));
  if (steps.executed != steps.written) {
    const auto loops = static_cast<int64_t>(loop_extents(report.plan.schedule).size());
    text +=
        fmt::format(" in {}, {} executed", counted(loops, "loop"), with_separators(steps.executed));
  }
  text += fmt::format("; {:.3f} M MAC", static_cast<double>(report.macs) / 1e6);
  if (report.recomputed_macs != 0) {
    text += fmt::format(", {:.3f} M of them recomputed",
                        static_cast<double>(report.recomputed_macs) / 1e6);
  }
  text += "\n";
  if (report.estimate) text += "  time   " + estimate_text(*report.estimate) + "\n";
  for (const MemoryWaits& waits : report.waits)
    text += "  waits  " + waits_text(schedule, waits) + "\n";
  if (report.front) text += "  choice " + choice_text(*report.front) + "\n";
  for (const std::string& note : report.notes) text += "  note   " + note + "\n";
  return text;
}

std::string executes_text(const PlanReport& report, const Step& step) {
  std::string text = step_label(report.graph, report.plan.schedule, step);
  switch (step.method) {
    case Method::kCompute:
      break;
    case Method::kInPlace:
      text += ", in place";
      break;
    case Method::kAccumulate:
      text += ", adds";
      if (step.chunk) {
        const Op& op = report.graph.op(step.op);
        const Shape& shape = report.graph.tensor(op.inputs[0]).shape;
        text += " input " + interval_text(*step.chunk, chunk_axis(report.graph, op), shape.size());
      }
      break;
    case Method::kFinalise:
      text += ", finalises";
      break;
  }
  if (step.kernel.valid()) text += fmt::format(", by {}", info(step.kernel).name);
  return text;
}

std::string reads_text(const Step& step) {
  std::string text;
  for (const Operand& operand : step.in) {
    const char* before = text.empty() ? "" : " ";
    for (BufferId id : operand.from) {
      text += before + buffer_label(id);
      before = "+";
    }
  }
  if (step.constants.valid())
    text += fmt::format("{}{}", text.empty() ? "" : " ", buffer_label(step.constants));
  return text;
}

class TextTree {
 public:
  explicit TextTree(const PlanReport& report) : report_(report) {}

  std::string run() {
    table_.groups = {{"",
                      {{"step", true},
                       {"live", true},
                       {"executes", false},
                       {"computes", false},
                       {"reads", false},
                       {"writes", false},
                       {"tensor", false}}}};
    std::vector<Column>& columns = table_.groups[0].columns;
    if (report_.estimate) columns.insert(columns.begin() + 2, Column{unit_of(*report_.estimate)});
    add(report_.plan.schedule.nodes, 0);
    return aligned_text(table_, 0);
  }

 private:
  void add(const std::vector<Node>& nodes, int depth) {
    std::string bars;
    for (int k = 0; k < depth; ++k) bars += "| ";
    for (const Node& node : nodes) {
      visit_node(
          node, [&](const Step& s) { step(s, bars); },
          [&](const Loop& l) { loop(l, bars, depth); });
    }
  }

  void loop(const Loop& loop, const std::string& bars, int depth) {
    const size_t row = table_.rows.size();
    LoopExtent extent{loop.id, loop.count, {position_, position_}, depth};
    table_.rows.emplace_back(table_.groups[0].columns.size());
    add(loop.body, depth + 1);
    extent.steps.end = position_;
    table_.rows[row][report_.estimate ? 3 : 2] =
        bars + "loop " + loop_text(extent) + steps_text(extent.steps);
  }

  static std::string steps_text(const LiveRange& steps) {
    if (steps.end == steps.begin) return " (no steps)";
    if (steps.end == steps.begin + 1) return fmt::format(" (step {})", steps.begin);
    return fmt::format(" (steps {} to {})", steps.begin, steps.end - 1);
  }

  // Instructions of all executions of the step; none if it copies nothing.
  std::string instructions_text() const {
    return with_separators(report_.estimate->estimate.of_step(position_));
  }

  void step(const Step& s, const std::string& bars) {
    const Schedule& schedule = report_.plan.schedule;
    const Buffer& out = schedule.buffer(s.out);
    std::string writes = buffer_label(s.out);
    if (s.scratch.valid()) writes += " (scratch " + buffer_label(s.scratch) + ")";
    if (s.passage.valid()) writes += " (through " + buffer_label(s.passage) + ")";
    std::vector<std::string> row = {
        fmt::format("{}", position_),
        with_separators(report_.live_bytes[static_cast<size_t>(position_)]),
        bars + executes_text(report_, s),
        computes_text(report_.graph, schedule, s),
        reads_text(s),
        writes,
        buffer_name(report_.graph, out)};
    if (report_.estimate) row.insert(row.begin() + 2, instructions_text());
    table_.rows.push_back(std::move(row));
    ++position_;
  }

  const PlanReport& report_;
  Table table_;
  Position position_ = 0;
};

// "1,024", "psram 1,024".
std::string address_text(const PlanReport& report, size_t b) {
  const MemoryId memory = report.plan.schedule.buffers[b].memory;
  if (!is_laid_out(memory)) return "-";
  const std::string address = with_separators(report.plan.placement.addresses[b]);
  return memory == kArena ? address : report.plan.schedule.memory(memory).name + " " + address;
}

std::string buffers_text(const PlanReport& report) {
  const Schedule& schedule = report.plan.schedule;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  Table table;
  table.groups = {{"",
                   {{"buffer", false},
                    {"kind", false},
                    {"holds", false},
                    {"extents", false},
                    {"type", false},
                    {"bytes", true},
                    {"life", true},
                    {"address", true},
                    {"may lie over", false},
                    {"tensor", false}}}};
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    const BufferId id{static_cast<int32_t>(b)};
    std::string under;
    for (const Share& share : schedule.shares) {
      if (share.out == id) under += (under.empty() ? "" : " ") + buffer_label(share.in);
    }
    table.rows.push_back({buffer_label(id), name(buffer_kind(report.graph, buffer)),
                          held_text(report.graph, buffer), to_string(buffer.extents),
                          name(buffer.type), with_separators(buffer.size_bytes()),
                          fmt::format("[{}, {})", lives[b].begin, lives[b].end),
                          address_text(report, b), under, buffer_name(report.graph, buffer)});
  }
  return aligned_text(table, 0);
}

std::string limits_text(const PlanReport& report) {
  const Verdict& verdict = report.verdict;
  const bool limited = verdict.sram_limit_bytes || verdict.flash_limit_bytes;
  return (limited ? verdict_text(verdict) : "") +
         advice({.fits_sram = verdict.fits_sram(), .fits_flash = verdict.fits_flash()},
                report.alternatives);
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  return heading(report) + "\n" + TextTree(report).run() + "\n" + buffers_text(report) +
         limits_text(report);
}

std::string pareto_text(const PlanReport& report) {
  const std::string title = fmt::format("{} (planner {})", report.model, report.plan.planner);
  return front_text(*report.front, title) + limits_text(report);
}

}  // namespace thimble
