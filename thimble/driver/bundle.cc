// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "thimble/driver/banks.h"
#include "thimble/driver/code_bytes.h"
#include "thimble/driver/quick_no.h"
#include "thimble/driver/smaller_weights.h"
#include "thimble/driver/storage.h"
#include "thimble/emit/params.h"
#include "thimble/search/pareto.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

int64_t kept_bytes(const Compiled& model) {
  int64_t sum = 0;
  for (const ProgramMemory& memory : model.program.memories) {
    if (memory.name == kStateMemory) sum += memory.size_bytes;
  }
  return sum;
}

int64_t arena_bytes_of(const Compiled& model) {
  return model.verdict.arena_bytes - kept_bytes(model);
}

// Constants of all models: bytes by what the linker calls them.
std::map<std::string, int64_t> constants_of(const std::vector<Compiled>& models) {
  std::map<std::string, int64_t> bytes;
  for (const Compiled& model : models) {
    for (const ProgramConstant& constant : model.program.constants) {
      if (is_in_flash(model.program, constant))
        bytes[constant_symbol(constant)] = std::ssize(constant.content.data);
    }
  }
  return bytes;
}

int64_t sum_of(const std::map<std::string, int64_t>& bytes) {
  int64_t sum = 0;
  for (const auto& [symbol, size] : bytes) sum += size;
  return sum;
}

// A choice of one plan of each of the first models.
struct Choice {
  int64_t bytes = 0;
  double instructions = 0;
  std::vector<int64_t> arenas;
};

// Without those that another beats, and some others where they are very many; the fewest bytes
// first.
std::vector<Choice> unbeaten(std::vector<Choice> all) {
  constexpr size_t kMany = 4096;
  std::vector<Choice> kept = pareto(
      std::move(all), [](const Choice& c) { return c.bytes; },
      [](const Choice& c) { return c.instructions; });
  if (kept.size() <= kMany) return kept;
  std::vector<Choice> some;
  for (size_t k = 0; k < kMany; ++k) some.push_back(std::move(kept[k * kept.size() / kMany]));
  return some;
}

class BundleCompiler {
 public:
  explicit BundleCompiler(const BundleRequest& request)
      : request_(request), first_(request.models.front()), shares_(request.models.size()) {
    for (const Request& model : request.models)
      formats_.push_back(model.weights.value_or(Weights::kFast));
  }

  BundleAnswer run() {
    if (std::optional<BundleInfeasible> no = too_many_weights()) return *std::move(no);
    result_.share_arena = request_.share_arena;
    for (size_t m = 0; m < request_.models.size(); ++m) {
      result_.names.push_back(request_.models[m].emission->name);
      if (auto ended = compile_model(m)) return *std::move(ended);
    }
    constexpr int kMostShares = 2;  // what lies beside the arenas may change with the plans
    for (int shares = 0;;) {
      judge();
      const auto largest = largest_to_shrink();
      if (!result_.verdict.fits_flash() && largest) {
        formats_[*largest] = smaller(formats_[*largest]);
        if (auto ended = compile_model(*largest)) return *std::move(ended);
      } else if (!result_.verdict.fits_sram() && !request_.share_arena && shares < kMostShares) {
        ++shares;
        if (auto ended = give_shares()) return *std::move(ended);
      } else {
        break;
      }
    }
    emit_all();
    return std::move(result_);
  }

 private:
  using Ended = std::optional<std::variant<Bundle, BundleInfeasible, Cancelled>>;

  std::optional<BundleInfeasible> too_many_weights() const {
    const std::optional<int64_t> flash = first_.flash_limit_bytes();
    if (!flash) return std::nullopt;
    std::vector<Graph> graphs;
    for (const Request& model : request_.models)
      graphs.push_back(load(model.model, model.import).graph);
    if (least_weight_bytes(graphs) <= *flash) return std::nullopt;
    for (size_t m = 0; m < graphs.size(); ++m)
      graphs[m] = prepare(graphs[m], request_.models[m].graph);
    const int64_t least = least_weight_bytes(graphs);
    if (least <= *flash) return std::nullopt;
    return BundleInfeasible{
        "",
        {.lower_bound_bytes = 0,
         .reason =
             fmt::format("their weights take {} of flash at least, {} more than the {} there are",
                         human_size(least), human_size(least - *flash), human_size(*flash)),
         .flash_lower_bound_bytes = least}};
  }

  // Compiles model m with the formats and shares of now.
  Ended compile_model(size_t m) {
    Request request = request_.models[m];
    request.emission.reset();
    request.target = first_.target;
    request.flash_bytes = first_.flash_bytes;
    request.states_apart = request_.share_arena;
    request.weights = formats_[m];
    request.sram_bytes = shares_[m] ? shares_[m] : first_.sram_limit_bytes();
    request.time_limit_seconds = seconds_left();
    Answer answer = compiled_of(m, request);
    if (auto* no = std::get_if<Infeasible>(&answer)) {
      // The others may do with less: with what there was before, this one had a plan.
      if (m < result_.models.size()) return std::nullopt;
      return BundleInfeasible{load(request.model, request.import).where, std::move(*no)};
    }
    if (const auto* cancelled = std::get_if<Cancelled>(&answer)) return *cancelled;
    Compiled& compiled = std::get<Compiled>(answer);
    if (m < result_.models.size()) {
      result_.models[m] = std::move(compiled);
    } else {
      result_.models.push_back(std::move(compiled));
    }
    return std::nullopt;
  }

  // What is wrong is wrong with this model.
  Answer compiled_of(size_t m, const Request& request) const {
    try {
      return compile(request);
    } catch (const CompileError& error) {
      throw CompileError(request_.models[m].emission->name, error.what());
    }
  }

  void judge() {
    Verdict& all = result_.verdict = {};
    int64_t apart = 0;
    for (const Compiled& model : result_.models) {
      all.caller_bytes += model.verdict.caller_bytes;
      apart += model.cost.weight_bytes;
    }
    all.arena_bytes = result_.arena_bytes() + result_.state_bytes();
    all.weight_bytes = sum_of(constants_of(result_.models));
    result_.equal_bytes = apart - all.weight_bytes;
    all.code = code_bytes_of(result_.models, first_.emission->also_used);
    all.sram_limit_bytes = first_.sram_limit_bytes();
    all.flash_limit_bytes = first_.flash_limit_bytes();
    if (all.flash_limit_bytes) *all.flash_limit_bytes -= flash_taken_bytes();
    if (!first_.sram_bytes && !first_.target.memories.empty()) {
      all.sram_limit_bytes = first_.target.sram_bytes();
      all.arena_fits = lie_in_banks(first_.target, pieces());
    }
  }

  // Nothing stays in storage, which models that never run at once share.
  int64_t flash_taken_bytes() const {
    int64_t sum = 0, largest = 0;
    for (size_t m = 0; m < result_.models.size(); ++m) {
      Request request = request_.models[m];
      request.target = first_.target;
      request.flash_bytes = first_.flash_bytes;
      const int64_t taken = thimble::flash_taken_bytes(result_.models[m].program, request);
      sum += taken;
      largest = std::max(largest, taken);
    }
    return request_.share_arena ? largest : sum;
  }

  // Sizes of what needs contiguous addresses, each.
  std::vector<int64_t> pieces() const {
    std::vector<int64_t> bytes{beside_bytes(result_.verdict)};
    for (const Compiled& model : result_.models) {
      bytes.push_back(kept_bytes(model));
      if (!request_.share_arena) bytes.push_back(arena_bytes_of(model));
    }
    if (request_.share_arena) bytes.push_back(result_.arena_bytes());
    return bytes;
  }

  static Weights smaller(Weights format) {
    if (format == Weights::kWide) return Weights::kFast;
    return format == Weights::kFast ? Weights::kCompact : Weights::kLeast;
  }

  // The model with the most weights among those that have a smaller format.
  std::optional<size_t> largest_to_shrink() const {
    std::optional<size_t> largest;
    const auto bytes = [&](size_t m) { return result_.models[m].cost.weight_bytes; };
    for (size_t m = 0; m < formats_.size(); ++m) {
      const bool can = !request_.models[m].weights && formats_[m] != Weights::kLeast &&
                       has_smaller_weights(result_.models[m].graph, first_.target.core);
      if (can && (!largest || bytes(m) > bytes(*largest))) largest = m;
    }
    return largest;
  }

  // Each model gets the SRAM of one of its plans, such that all fit.
  Ended give_shares() {
    std::vector<std::vector<FrontFigures>> fronts;
    int64_t arenas = 0;
    for (const Compiled& model : result_.models) {
      fronts.push_back(model.front
                           ? model.front->points
                           : std::vector{FrontFigures{.arena_bytes = arena_bytes_of(model)}});
      arenas += arena_bytes_of(model);
    }
    const int64_t beside = result_.verdict.sram_bytes() - arenas;
    int64_t budget = *result_.verdict.sram_limit_bytes - beside;
    const std::vector<int64_t> chosen = fastest_arenas(fronts, budget);
    for (const int64_t bytes : chosen) budget -= bytes;
    for (size_t m = 0; m < chosen.size(); ++m) {
      // Planners without a choice get what is left, and may find something smaller.
      const int64_t arena =
          chosen[m] + (result_.models[m].front ? 0 : std::min<int64_t>(budget, 0));
      if (arena >= arena_bytes_of(result_.models[m]) || arena <= 0) continue;
      shares_[m] = arena + beside_bytes(result_.models[m].verdict);
      const int64_t before = arena_bytes_of(result_.models[m]);
      if (auto ended = compile_model(m)) return ended;
      if (!result_.models[m].front)
        budget += before - std::min(before, arena_bytes_of(result_.models[m]));
    }
    return std::nullopt;
  }

  void emit_all() {
    std::set<std::string> used;
    for (const Compiled& model : result_.models) {
      std::set<std::string>& uses = result_.uses.emplace_back(first_.emission->also_used);
      uses.merge(parts_of(model));
      used.insert(uses.begin(), uses.end());
    }
    for (size_t m = 0; m < result_.models.size(); ++m) {
      Emission emission = *request_.models[m].emission;
      emission.also_used = used;
      result_.models[m].files = emitted_files(result_.models[m], emission);
    }
  }

  double seconds_left() const {
    constexpr double kLeast = 0.001;
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return std::max(kLeast, first_.time_limit_seconds - gone.count());
  }

  const BundleRequest& request_;
  const Request& first_;
  std::vector<Weights> formats_;
  std::vector<std::optional<int64_t>> shares_;  // of SRAM; nothing: all of it
  Bundle result_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

int64_t Bundle::arena_bytes() const {
  int64_t largest = 0, sum = 0;
  for (const Compiled& model : models) {
    largest = std::max(largest, arena_bytes_of(model));
    sum += arena_bytes_of(model);
  }
  return share_arena ? largest : sum;
}

int64_t Bundle::state_bytes() const {
  int64_t sum = 0;
  for (const Compiled& model : models) sum += kept_bytes(model);
  return sum;
}

std::vector<int64_t> fastest_arenas(const std::vector<std::vector<FrontFigures>>& fronts,
                                    int64_t budget_bytes) {
  std::vector<Choice> choices{Choice{}};
  for (const std::vector<FrontFigures>& front : fronts) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const FrontFigures& plan : front) {
        longer.push_back(choice);
        longer.back().bytes += plan.arena_bytes;
        longer.back().instructions += plan.instructions;
        longer.back().arenas.push_back(plan.arena_bytes);
      }
    }
    choices = unbeaten(std::move(longer));
  }
  // The last that fits is the fastest.
  const auto beyond = std::ranges::find_if(
      choices, [&](const Choice& choice) { return choice.bytes > budget_bytes; });
  return beyond == choices.begin() ? choices.front().arenas : std::prev(beyond)->arenas;
}

BundleAnswer compile(const BundleRequest& request) { return BundleCompiler(request).run(); }

}  // namespace thimble
