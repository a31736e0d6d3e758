// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/alternatives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "thimble/driver/quick_no.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/request_fields.h"
#include "thimble/model/error.h"
#include "thimble/planners/registry.h"
#include "thimble/report/peak.h"
#include "thimble/target/device.h"

namespace thimble {
namespace {

constexpr double kMostSeconds = 60;  ///< of planning, for each

/// Another text of a field, or none.
struct Change {
  const char* field;
  Texts texts = {};

  [[nodiscard]] std::string options() const {
    const RequestField& changed = request_field(field);
    return texts.empty() ? fmt::format("without {}", changed.option) : option_words(changed, texts);
  }
  void apply(Request& request) const { set_field(request, request_field(field), texts); }
};

/// What there is, and lacks.
struct Shown {
  int64_t arena_bytes = std::numeric_limits<int64_t>::max();
  int64_t flash_bytes = std::numeric_limits<int64_t>::max();
  int64_t least_flash_bytes = 0;  ///< of weights in any format
  bool fits_flash = true;
};

/// Tries requests one after the other, and keeps what needs less than what there is.
class Trials {
 public:
  Trials(const Request& request, const Shown& shown) : request_(request), shown_(shown) {}

  /// The plan, if there is one; whether it is kept or not.
  std::optional<Compiled> attempt(const std::string& options, Request other) {
    const double seconds = seconds_left();
    if (cancelled_ || seconds <= 0) return std::nullopt;
    sram_needed_ = 0;
    other.emission.reset();
    other.time_limit_seconds = std::min(seconds, kMostSeconds);
    try {
      Answer answer = compile(other);
      cancelled_ = std::holds_alternative<Cancelled>(answer);
      if (const auto* no = std::get_if<Infeasible>(&answer)) sram_needed_ = no->lower_bound_bytes;
      auto* compiled = std::get_if<Compiled>(&answer);
      if (compiled == nullptr) return std::nullopt;
      sram_needed_ = compiled->verdict.sram_bytes();
      const Verdict& verdict = compiled->verdict;
      keep({.options = options,
            .arena_bytes = compiled->plan.placement.arena_bytes(),
            .instructions = estimate_of(*compiled).value_or(CoreEstimate{}).estimate.instructions,
            .sram_bytes = verdict.sram_bytes(),
            .flash_bytes = verdict.flash_bytes(),
            .fits = verdict.sram_limit_bytes || verdict.flash_limit_bytes
                        ? std::optional(verdict.fits())
                        : std::nullopt});
      return std::move(*compiled);
    } catch (const CompileError&) {
      return std::nullopt;  // not for this model
    }
  }

  /// Kept only if it fits.
  bool attempt_fitting(const std::string& options, Request other) {
    const size_t before = kept_.size();
    (void)attempt(options, std::move(other));
    if (kept_.size() > before && !fits(kept_.back())) kept_.pop_back();
    return kept_.size() > before;
  }
  /// By the last attempt, whether it fitted or not; 0: not known.
  [[nodiscard]] int64_t sram_needed() const { return sram_needed_; }

  /// From now on, as this needs no more options.
  void require_below(int64_t arena_bytes) {
    shown_.arena_bytes = std::min(shown_.arena_bytes, arena_bytes);
  }
  void keep(const Alternative& found) {
    const bool less_flash = !shown_.fits_flash && found.flash_bytes < shown_.flash_bytes;
    if (fits(found) || less_flash || found.arena_bytes < shown_.arena_bytes) kept_.push_back(found);
  }

  [[nodiscard]] static bool fits(const Alternative& found) { return found.fits.value_or(false); }
  [[nodiscard]] bool any_fits() const {
    return std::ranges::any_of(kept_, [&](const Alternative& found) { return fits(found); });
  }
  /// Whether the last attempt was kept and does what is needed.
  [[nodiscard]] bool last_fits() const { return !kept_.empty() && fits(kept_.back()); }
  [[nodiscard]] size_t count() const { return kept_.size(); }

  /// What fits first, the fastest of these before others; then the least.
  [[nodiscard]] std::vector<Alternative> ranked() const {
    std::vector<Alternative> result = kept_;
    std::ranges::stable_sort(result, {}, [&](const Alternative& found) {
      const bool good = fits(found);
      return std::tuple(!good, good ? found.instructions : 0.0, found.arena_bytes);
    });
    return result;
  }

 private:
  [[nodiscard]] double seconds_left() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return request_.time_limit_seconds - gone.count();
  }

  const Request& request_;
  Shown shown_;
  std::vector<Alternative> kept_;
  int64_t sram_needed_ = 0;
  bool cancelled_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<PortAtPeak> ports_at_peak(const Compiled& compiled) {
  const std::optional<Peak> peak = peak_of(compiled.graph, compiled.plan, compiled.cost.live_bytes);
  return peak ? ports_at(compiled.graph, compiled.plan, *peak) : std::vector<PortAtPeak>();
}

// Where there is no plan, either side may be what is too large.
std::vector<PortAtPeak> any_ports() {
  return {{.port = {}, .input = true, .int8_bytes = 0},
          {.port = {}, .input = false, .int8_bytes = {}}};
}

bool has_floats(const Request& request, const std::vector<PortAtPeak>& ports) {
  return !request.graph.int8_io &&
         std::ranges::any_of(ports, [](const PortAtPeak& at) { return at.int8_bytes.has_value(); });
}

Change to_integers() { return {"io_type", {"int8"}}; }

// Limits of the user's own, lifted; ports elsewhere are tried apart, as there are two places.
std::vector<Change> changes(const Request& request, const std::vector<PortAtPeak>& ports) {
  std::vector<Change> all;
  if (has_floats(request, ports)) all.push_back(to_integers());
  if (request.weights && *request.weights != Weights::kLeast) all.push_back({"weights"});
  if (request.max_recompute) all.push_back({"max_recompute"});
  if (!request.in_place) all.push_back({"in_place"});
  if (!request.graph.rewrite) all.push_back({"rewrite"});
  if (request.graph.rewrite && request.graph.keep_channels) all.push_back({"keep_channels"});
  const auto external = [](const Memory& m) { return m.kind == MemoryKind::kExternalRam; };
  if (!request.external_ram && std::ranges::any_of(request.target.memories, external))
    all.push_back({"external_ram", {""}});
  return all;
}

// Places of the input or the output: the stream; the caller's memory only where that does not help.
std::vector<Change> port_changes(const Request& request, const std::vector<PortAtPeak>& ports,
                                 bool input) {
  Place PortPlaces::*const side = input ? &PortPlaces::input : &PortPlaces::output;
  const bool there =
      std::ranges::any_of(ports, [&](const PortAtPeak& at) { return at.input == input; });
  std::vector<Change> all;
  if (!there || request.ports.*side != Place::kResident) return all;
  for (const Place place : {Place::kStreamed, Place::kUser}) {
    all.push_back({input ? "input" : "output", {name(place)}});
  }
  return all;
}

// Plans of the front that the request's latency or pick excludes.
std::vector<Change> front_changes(const Request& request, const Front& front) {
  std::vector<Change> all;
  if (request.pick) all.push_back({"pick"});
  if (front.picked == 0 || front.latency(0) <= front.max_latency) return all;
  Front lifted = front;
  lifted.max_latency = std::numeric_limits<double>::infinity();
  const double latency = std::ceil(100 * front.latency(lifted.chosen())) / 100;
  all.push_back({"max_latency", {fmt::format("{}", latency)}});
  return all;
}

// Smaller images for a file whose one input is one: three quarters and half of its sides. The file
// is read again for them.
std::vector<Change> smaller_inputs(const Request& request) {
  constexpr int32_t kLeastSide = 16;
  const auto* source = std::get_if<Source>(&request.model);
  std::error_code none;
  if (source == nullptr || !request.import.shapes.empty() || source->graph.inputs.size() != 1 ||
      !std::filesystem::is_regular_file(source->where, none))
    return {};
  const Shape& shape = source->graph.tensor(source->graph.inputs[0].tensor).shape;
  if (shape.size() != 4 || std::min(shape[1], shape[2]) < kLeastSide) return {};
  std::vector<Change> all;
  for (const int64_t quarters : {3, 2}) {
    Shape smaller = shape;
    for (const size_t side : {1U, 2U}) smaller[side] = shape[side] * quarters / 4;
    all.push_back({"shape", {fmt::format("{}", fmt::join(smaller, "x"))}});
  }
  return all;
}

// The smallest boards that it fits, by a quick planner: the best one needs no more.
void try_boards(const Request& request, const Shown& shown, Trials& trials) {
  constexpr size_t kShown = 3, kMostTried = 6;
  const int64_t flash = shown.fits_flash ? 0 : std::min(shown.flash_bytes, shown.least_flash_bytes);
  const std::vector<Target> boards = larger_boards(request.target, flash);
  size_t found = 0, tried = 0;
  int64_t least_sram = 0;                    // by what did not fit the boards before
  if (request.target.core.measured) return;  // says nothing of another board
  for (const Target& board : boards) {
    if (found == kShown || tried == kMostTried) break;
    if (board.sram_bytes() < least_sram) continue;
    Request other = request;
    for (const char* field : {"sram", "flash", "pick", "external_ram"}) Change{field}.apply(other);
    const Change to_board{"device", {board.name}};
    to_board.apply(other);
    other.planner = quick_planner();
    ++tried;
    if (trials.attempt_fitting(to_board.options(), other)) {
      ++found;
    } else {
      least_sram = std::max(least_sram, trials.sram_needed());
    }
  }
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

Shown shown_of(const Compiled& compiled) {
  return {.arena_bytes = compiled.plan.placement.arena_bytes(),
          .flash_bytes = compiled.verdict.flash_bytes(),
          .least_flash_bytes = least_weight_bytes({&compiled.graph, 1}),
          .fits_flash = compiled.verdict.fits_flash()};
}

std::vector<Alternative> tried(const Request& request, const Compiled* compiled, Shown shown) {
  Trials trials(request, shown);
  Request base = request;
  base.pick.reset();
  std::string prefix;
  std::optional<Compiled> best;
  const std::string best_planner = planners_for(request.ports).back();
  if (choose_planner(request.planner.empty() ? best_planner : request.planner).planner->name !=
      best_planner) {
    base.planner.clear();
    prefix = Change{"planner", {best_planner}}.options();
    best = trials.attempt(prefix, base);
    if (trials.last_fits()) return trials.ranked();
    if (best) compiled = &*best;
    if (best) trials.require_below(best->plan.placement.arena_bytes());
  }
  const std::vector<PortAtPeak> ports =
      compiled == nullptr ? any_ports() : ports_at_peak(*compiled);
  Request together = base;
  std::string all_options = prefix;
  size_t helpful = 0;
  const auto attempt = [&](const Change& change) {
    Request other = base;
    change.apply(other);
    const size_t before = trials.count();
    (void)trials.attempt(joined(prefix, change.options()), other);
    if (trials.count() == before) return false;
    change.apply(together);
    all_options = joined(all_options, change.options());
    ++helpful;
    return true;
  };
  if (compiled != nullptr && compiled->front) {
    for (const Change& change : front_changes(request, *compiled->front)) (void)attempt(change);
  }
  for (const Change& change : changes(base, ports)) (void)attempt(change);
  for (const bool input : {true, false}) {
    for (const Change& change : port_changes(base, ports, input)) {
      if (attempt(change)) break;
    }
  }
  if (helpful > 1 && !trials.any_fits()) (void)trials.attempt(all_options, together);
  const bool lacks_sram = compiled == nullptr ? shown.fits_flash : !compiled->verdict.fits_sram();
  if (lacks_sram && !trials.any_fits()) {
    for (const Change& change : smaller_inputs(base)) {
      Request other = base;
      other.model = std::get<Source>(base.model).where;
      change.apply(other);
      if (trials.attempt_fitting(joined(prefix, change.options()), other)) break;
    }
  }
  try_boards(base, shown, trials);
  return trials.ranked();
}

}  // namespace

const char* quick_planner() { return "stream"; }

std::vector<Target> larger_boards(const Target& target, int64_t flash_bytes) {
  if (target.memories.empty()) return {};  // a limit of the user's own says no board
  std::vector<Target> boards = builtin_targets();
  std::erase_if(boards, [&](const Target& board) {
    return board.name == target.name || board.flash_bytes < flash_bytes ||
           board.sram_bytes() < target.sram_bytes();
  });
  std::ranges::stable_sort(boards, {}, [](const Target& board) {
    return std::tuple(board.sram_bytes(), board.flash_bytes, board.chip);
  });
  // One board of each chip says it for the others.
  const auto same_chip = [](const Target& a, const Target& b) { return a.chip == b.chip; };
  boards.erase(std::unique(boards.begin(), boards.end(), same_chip), boards.end());
  return boards;
}

std::vector<Alternative> alternatives(const Request& request, const Compiled& compiled) {
  return tried(request, &compiled, shown_of(compiled));
}

std::vector<Alternative> alternatives(const Request& request, const Infeasible& no) {
  return tried(request, nullptr,
               {.least_flash_bytes = no.flash_lower_bound_bytes,
                .fits_flash = no.flash_lower_bound_bytes == 0});
}

std::vector<Alternative> smaller_alternatives(const Request& request, const Compiled& compiled) {
  constexpr double kQuickSeconds = 5;
  const bool quick = compiled.plan_seconds <= kQuickSeconds;
  const int64_t arena_bytes = compiled.plan.placement.arena_bytes();
  Trials trials(request, shown_of(compiled));
  const auto lowers = [&](const Change& change) {
    Request other = request;
    change.apply(other);
    std::string options = change.options();
    if (!quick) {
      const Change planner{"planner", {quick_planner()}};
      planner.apply(other);
      options = joined(options, planner.options());
    }
    const std::optional<Compiled> found = trials.attempt(options, std::move(other));
    return found && found->plan.placement.arena_bytes() < arena_bytes;
  };
  const std::vector<PortAtPeak> ports = ports_at_peak(compiled);
  if (quick && compiled.front && compiled.front->picked > 0) (void)lowers({"pick", {"1"}});
  for (const Change& change : changes(request, ports)) (void)lowers(change);
  for (const bool input : {true, false}) {
    for (const Change& change : port_changes(request, ports, input)) {
      if (lowers(change)) break;
    }
  }
  std::vector<Alternative> all = trials.ranked();
  std::erase_if(all, [&](const Alternative& a) { return a.arena_bytes >= arena_bytes; });
  return all;
}

std::vector<Alternative> unasked_alternatives(const Request& request, const Compiled& compiled) {
  Trials trials(request, shown_of(compiled));
  if (request.sram_limit_bytes() || !has_floats(request, ports_at_peak(compiled))) return {};
  Request other = request;
  std::string options;
  for (const Change& change : {to_integers(), Change{"planner", {quick_planner()}}}) {
    change.apply(other);
    options = joined(options, change.options());
  }
  (void)trials.attempt(options, other);
  return trials.ranked();
}

}  // namespace thimble
