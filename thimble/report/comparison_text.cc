// SPDX-License-Identifier: Apache-2.0
// What people read of a comparison: tables of at most 100 columns, the winner, and why.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "thimble/report/comparison.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr size_t kWidth = 100, kLongestName = 22;
/// More models than that have a row each.
constexpr size_t kMostTables = 6;

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName - 3) + "...";
}

std::string wrapped(const std::string& text, const std::string& indent) {
  std::string result, line = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return result + line + "\n";
}

double extra_macs_percent(const ComparedCell& cell) {
  const int64_t needed = cell.macs - cell.recomputed_macs;
  return needed == 0
             ? 0
             : 100 * static_cast<double>(cell.recomputed_macs) / static_cast<double>(needed);
}

// Is there a figure in any cell?
bool has_any(const ComparedModel& model, std::optional<double> ComparedCell::*figure) {
  return std::ranges::any_of(model.cells,
                             [&](const ComparedCell& cell) { return (cell.*figure).has_value(); });
}

/// The columns of a model's table. One that would say the same in every row is left out: extra MACs
/// if nothing recomputes, the fit if there is no limit.
class PlannerTable {
 public:
  PlannerTable(const PlannerComparison& comparison, const ComparedModel& model)
      : comparison_(comparison),
        model_(model),
        recomputes_(std::ranges::any_of(
            model.cells, [](const ComparedCell& cell) { return cell.recomputed_macs != 0; })),
        estimated_(has_any(model, &ComparedCell::instructions)),
        timed_(has_any(model, &ComparedCell::milliseconds)) {}

  /// mark: of the winner's name.
  Table table(const char* mark, const char* other) const {
    ColumnGroup group{"", {{model_.model, false}, {"peak"}, {"arena"}, {"ratio"}}};
    if (recomputes_) group.columns.push_back({"extra MACs"});
    if (estimated_) group.columns.push_back({"M instr."});
    if (timed_) group.columns.push_back({"ms"});
    group.columns.push_back({"search s"});
    if (comparison_.limited()) group.columns.push_back({"fits"});
    const ComparedCell* winner = ranked(comparison_, model_).winner;
    Table table{{std::move(group)}, {}};
    for (const ComparedCell& cell : model_.cells) {
      std::vector<std::string> row = texts(cell);
      row.insert(row.begin(), (&cell == winner ? mark : other) + shortened(cell.planner));
      table.rows.push_back(std::move(row));
    }
    add_interpreter(table, other);
    return table;
  }

 private:
  std::vector<std::string> texts(const ComparedCell& cell) const {
    const bool planned = cell.planned();
    const std::optional<double> r = model_.ratio(cell);
    std::vector<std::string> row = {planned ? with_separators(cell.peak_bytes) : name(cell.outcome),
                                    planned ? with_separators(cell.arena_bytes) : "-",
                                    r ? fmt::format("{:.3f}", *r) : "-"};
    if (recomputes_)
      row.push_back(planned ? fmt::format("{:.1f} %", extra_macs_percent(cell)) : "-");
    if (estimated_)
      row.push_back(cell.instructions ? fmt::format("{:.1f}", *cell.instructions / 1e6) : "-");
    if (timed_) row.push_back(cell.milliseconds ? fmt::format("{:.1f}", *cell.milliseconds) : "-");
    row.push_back(planned ? fmt::format("{:.2f}", cell.plan_seconds + cell.layout_seconds) : "-");
    if (comparison_.limited())
      row.push_back(comparison_.fits(cell)                              ? "yes"
                    : (planned || cell.outcome == Outcome::kInfeasible) ? "no"
                                                                        : "-");
    return row;
  }

  void add_interpreter(Table& table, const char* indent) const {
    const ComparedCell& cell = model_.interpreter;
    const size_t columns = table.groups[0].columns.size();
    const auto add = [&](const char* what, const std::string& peak, const std::string& arena) {
      std::vector<std::string> row = {indent + std::string(what), peak, arena};
      row.resize(columns, "");
      table.rows.push_back(std::move(row));
    };
    if (!cell.planned()) return add("interpreter", name(cell.outcome), "-");
    add("interpreter, tensors", with_separators(cell.peak_bytes),
        with_separators(cell.arena_bytes));
    if (model_.structures_bytes)
      add("interpreter, in all", "",
          "~" + with_separators(cell.arena_bytes + *model_.structures_bytes));
  }

  const PlannerComparison& comparison_;
  const ComparedModel& model_;
  bool recomputes_, estimated_, timed_;
};

/// A row per model: the interpreter, the winner, and who comes next.
Table winners(const PlannerComparison& comparison) {
  Table table{{{"",
                {{"model", false},
                 {"interpreter"},
                 {"winner", false},
                 {"arena"},
                 {"ratio"},
                 {"M instr."},
                 {"next", false},
                 {"arena"}}}},
              {}};
  for (const ComparedModel& model : comparison.models) {
    const ComparedCell& interpreter = model.interpreter;
    const Ranking best = ranked(comparison, model);
    std::vector<std::string> row = {shortened(model.model),
                                    interpreter.planned() ? with_separators(interpreter.arena_bytes)
                                                          : name(interpreter.outcome)};
    if (best.winner == nullptr) {
      row.insert(row.end(), {"none", "-", "-", "-", "-", "-"});
    } else {
      const std::optional<double> r = model.ratio(*best.winner);
      row.insert(
          row.end(),
          {shortened(best.winner->planner), with_separators(best.winner->arena_bytes),
           r ? fmt::format("{:.3f}", *r) : "-",
           best.winner->instructions ? fmt::format("{:.1f}", *best.winner->instructions / 1e6)
                                     : "-",
           best.next == nullptr ? "-" : shortened(best.next->planner),
           best.next == nullptr ? "-" : with_separators(best.next->arena_bytes)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string limits_text(const PlannerComparison& comparison) {
  std::string text;
  if (comparison.sram_limit_bytes)
    text += fmt::format("  SRAM limit {}", human_size(*comparison.sram_limit_bytes));
  if (comparison.flash_limit_bytes)
    text += fmt::format("  flash limit {}", human_size(*comparison.flash_limit_bytes));
  return text.empty() ? "" : text + "\n";
}

std::string legend(const PlannerComparison& comparison) {
  const std::string rule =
      comparison.limited()
          ? "of those that fit the fastest"
          : fmt::format("the smallest of those within {:g} times the fewest instructions",
                        comparison.max_latency);
  return wrapped(
      fmt::format(
          "> the winner: {}. Bytes of SRAM. interpreter, tensors: arena of TensorFlow Lite Micro "
          "for tensors, file's order, greedy_by_size, nothing in place or rewritten; in all: with "
          "its own structures, estimated. ratio: arena to the interpreter's for tensors. M instr.: "
          "estimated (docs/cost.md); ms: these at the board's clock, if each takes a cycle",
          rule),
      "");
}

/// tables: of each model, unless there are too many.
template <class Write>
std::string printed(const PlannerComparison& comparison, const char* mark, const char* other,
                    Write write) {
  if (comparison.models.size() > kMostTables) return write(winners(comparison)) + "\n";
  std::string text;
  for (const ComparedModel& model : comparison.models) {
    text += write(PlannerTable(comparison, model).table(mark, other));
    const std::string reason = why(comparison, model);
    if (!reason.empty()) text += "\n" + wrapped(reason, "");
    text += "\n";
  }
  return text;
}

double within(const ComparedCell& cell) { return cell.instructions.value_or(0); }

}  // namespace

std::optional<double> ComparedModel::ratio(const ComparedCell& cell) const {
  if (!cell.planned() || !interpreter.planned() || interpreter.arena_bytes == 0)
    return std::nullopt;
  return static_cast<double>(cell.arena_bytes) / static_cast<double>(interpreter.arena_bytes);
}

Ranking ranked(const PlannerComparison& comparison, const ComparedModel& model) {
  std::vector<const ComparedCell*> cells;
  for (const ComparedCell& cell : model.cells) {
    if (comparison.limited() ? comparison.fits(cell) : cell.planned()) cells.push_back(&cell);
  }
  if (cells.empty()) return {};
  const double fastest =
      within(**std::ranges::min_element(cells, {}, [](const auto* cell) { return within(*cell); }));
  const auto key = [&](const ComparedCell* cell) {
    const auto bytes = static_cast<double>(cell->arena_bytes);
    const bool slow = within(*cell) > comparison.max_latency * fastest;
    return comparison.limited() ? std::tuple(false, within(*cell), bytes)
                                : std::tuple(slow, bytes, within(*cell));
  };
  std::ranges::stable_sort(cells, {}, key);
  return {cells[0], cells.size() > 1 ? cells[1] : nullptr};
}

std::string why(const PlannerComparison& comparison, const ComparedModel& model) {
  const auto [winner, next] = ranked(comparison, model);
  if (winner == nullptr) return "";
  const std::string how = winner->moves.empty() ? "it executes whole operators" : winner->moves;
  if (next == nullptr)
    return fmt::format("{} {} by itself: {}.", winner->planner,
                       comparison.limited() ? "fits" : "stands", how);
  const int64_t bytes = next->arena_bytes - winner->arena_bytes;
  const double instructions = within(*next) - within(*winner);
  if (bytes == 0 && instructions == 0)
    return fmt::format("{} comes first of equals: {} needs as many bytes and instructions.",
                       winner->planner, next->planner);
  std::string gain = bytes == 0 ? "as many bytes as"
                                : fmt::format("{} B {} than", with_separators(std::abs(bytes)),
                                              bytes > 0 ? "less" : "more");
  std::string text = fmt::format("{} wins: {} {}", winner->planner, gain, next->planner);
  if (winner->instructions && next->instructions) {
    const std::string millions = fmt::format("{:.2f} M", std::abs(instructions) / 1e6);
    text += millions == "0.00 M" ? ", about as many instructions"
                                 : fmt::format(", {} instructions {}", millions,
                                               instructions >= 0 ? "fewer" : "more");
  }
  text += "; " + how;
  if (bytes > 0 && !next->peak_at.empty())
    text += fmt::format("; the peak of {} is at {}", next->planner, next->peak_at);
  return text + ".";
}

std::string comparison_text(const PlannerComparison& comparison) {
  std::string text =
      printed(comparison, "> ", "  ", [](const Table& table) { return aligned_text(table, 0); });
  text += legend(comparison) + limits_text(comparison);
  for (const std::string& reason : reasons(comparison)) text += wrapped(reason, "  ");
  return text;
}

std::string comparison_markdown(const PlannerComparison& comparison) {
  std::string text = printed(comparison, "> ", "", markdown);
  text += legend(comparison) + limits_text(comparison);
  for (const std::string& reason : reasons(comparison)) text += "- " + reason + "\n";
  return text;
}

}  // namespace thimble
