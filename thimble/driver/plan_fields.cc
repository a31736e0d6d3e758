// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

#include "thimble/driver/field_rows.h"
#include "thimble/driver/inference_io.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"
#include "thimble/plan/port_alignment.h"
#include "thimble/report/weight_formats_text.h"
#include "thimble/target/device.h"
#include "thimble/target/latency.h"

namespace thimble {
namespace {

constexpr std::array kWeights = {Weights::kWide, Weights::kFast, Weights::kCompact,
                                 Weights::kLeast};
constexpr std::array kPlaces = {Place::kResident, Place::kUser, Place::kStreamed};
constexpr double kAny = std::numeric_limits<double>::infinity();

Calibration calibration_from(const std::string& file) {
  if (!file.ends_with(".json")) return {file, read_tensors(file)};
  const Bytes bytes = read_file(file, int64_t{16} << 20);
  return {file, accumulator_scales_from({bytes.begin(), bytes.end()}, file)};
}

void set_core(Request& request, const FieldValue& value) {
  if (!value.given()) return;  // the device's
  if (!is_core_name(value.text()))
    value.reject(fmt::format("'{}' is not the name of a core, such as cortex-m4", value.text()));
  request.target.core = core_named(value.text());
}

void set_latency(Request& request, const FieldValue& value) {
  constexpr int64_t kMostBytes = int64_t{1} << 20;
  request.latency_file = value.text();
  Core& core = request.target.core;
  core.measured = nullptr;
  if (!value.given()) return;
  const std::string file = value.text();
  const Bytes bytes = read_file(file, kMostBytes);
  LatencyModel model =
      parse_latency({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
  if (!model.cycles)
    throw CompileError(file,
                       "counts instructions; cycles of a board are what `thimble profile "
                       "--fit` writes");
  if (core.name != model.core)
    value.reject(fmt::format("{} was measured on a {}, which --device or --core has to name{}",
                             file, model.core,
                             core.name.empty() ? "" : " instead of a " + core.name));
  core.measured = std::make_shared<const LatencyModel>(std::move(model));
}

Texts device_texts(const Request& request) {
  if (request.target.memories.empty()) return {};
  return {request.target_file.empty() ? request.target.name : request.target_file};
}

Texts core_texts(const Request& request) {
  const std::string& core = request.target.core.name;
  if (request.target_file.empty()) {
    for (const Device& device : builtin_devices()) {
      if (device.target.name == request.target.name && device.target.core.name == core) return {};
    }
  }
  return text_if(!core.empty(), core);
}

std::string device_name(const std::string& name) {
  return name.ends_with(".json") ? name : find_device(name).target.name;
}

}  // namespace

std::vector<RequestField> plan_fields() {
  using enum FieldForm;
  using enum FieldGroup;
  using R = Request;
  using V = FieldValue;
  static const R usual;
  return {
      {.name = "planner",
       .option = "--planner",
       .group = kPlanner,
       .form = kText,
       .type = "NAME",
       .help = "NAME or NAME:key=value,... (see `thimble planners`)",
       .set = [](R& r, const V& v) { r.planner = v.text(); },
       .texts = [](const R& r) { return text_if(!r.planner.empty(), r.planner); }},
      {.name = "calibration",
       .option = "--calibration",
       .group = kPlanner,
       .form = kText,
       .type = "FILE",
       .help = "Typical inputs (.npy or .safetensors) to measure the scales of lossy accumulators "
               "on, or a .json file of learnt ones (default: a bound from the weights)",
       .set =
           [](R& r, const V& v) {
             r.calibration.reset();
             if (v.given()) r.calibration = calibration_from(v.text());
           },
       .texts = [](const R& r) { return r.calibration ? Texts{r.calibration->name} : Texts(); }},
      {.name = "pick",
       .option = "--pick",
       .group = kPlanner,
       .form = kWhole,
       .type = "NUMBER",
       .help = "The plan of this number in `thimble plan --pareto`",
       .set = [](R& r, const V& v) { r.pick = v.whole(); },
       .texts = [](const R& r) { return number_texts(r.pick); }},
      // Before the core, which is another than the device's.
      {.name = "device",
       .option = "--device",
       .group = kTarget,
       .form = kText,
       .type = "NAME",
       .help = "Board or chip whose memory is the limit (see `thimble devices`), or your own as "
               "FILE.json",
       .set =
           [](R& r, const V& v) {
             r.target = v.given() ? find_target(v.text()) : Target();
             r.target_file = v.text().ends_with(".json") ? v.text() : "";
           },
       .texts = device_texts,
       .canonical = device_name},
      {.name = "core",
       .option = "--core",
       .group = kTarget,
       .form = kText,
       .type = "CORE",
       .help = "Core whose instructions kernels may use: cortex-m4, M0+, rv32imc, cortex-m4+nofp, "
               "...; list: all (default: the device's; without one, kernels for any core)",
       .set = set_core,
       .texts = core_texts,
       .canonical = [](const std::string& name) { return core_named(name).name; }},
      {.name = "latency",
       .option = "--latency",
       .group = kTarget,
       .form = kText,
       .type = "FILE",
       .help = "Cycles that kernels took on the board, of `thimble profile --fit`: plans and "
               "kernels are chosen by these instead of counted instructions",
       .set = set_latency,
       .texts = [](const R& r) { return text_if(!r.latency_file.empty(), r.latency_file); }},
      {.name = "sram",
       .option = "--sram",
       .group = kLimits,
       .form = kSize,
       .type = "SIZE",
       .help = "Most SRAM for the arena: 65536, 64K (= 65,536), 64kB (= 64,000)",
       .set = [](R& r, const V& v) { r.sram_bytes = v.size(); },
       .texts = [](const R& r) { return size_texts(r.sram_bytes); }},
      {.name = "flash",
       .option = "--flash",
       .group = kLimits,
       .form = kSize,
       .type = "SIZE",
       .help = "Most flash for code and weights",
       .set = [](R& r, const V& v) { r.flash_bytes = v.size(); },
       .texts = [](const R& r) { return size_texts(r.flash_bytes); }},
      {.name = "weights",
       .option = "--weights",
       .group = kLimits,
       .form = kWord,
       .help =
           "Of a core that has kernels for it: fast, in 16 bits; compact, in 8 but for "
           "depthwise convolutions in place, or in 4 if they fit; least, in 8 or 4; auto: fast "
           "or, where --flash or the device has no room for that, for each operator the one that "
           "is best for all; wide: fast, and those of 8 bits beside float32 in 32 (auto)",
       .words = {"auto", "wide", "fast", "compact", "least"},
       .set =
           [](R& r, const V& v) {
             r.weights.reset();
             if (const size_t word = v.word(); word > 0) r.weights = kWeights.at(word - 1);
           },
       .texts = [](const R& r) { return r.weights ? Texts{name(*r.weights)} : Texts(); }},
      {.name = "external_ram",
       .option = "--external-ram",
       .group = kLimits,
       .form = kOn,
       .help = "Buffers that do not fit on chip may lie in the device's external RAM",
       .set = [](R& r, const V& v) { r.external_ram = v.given(); },
       .texts = [](const R& r) { return text_if(r.external_ram); }},
      {.name = "storage",
       .option = "--storage",
       .group = kLimits,
       .form = kText,
       .type = "NAME[:KEY=VALUE,..][,compress]",
       .help =
           "Block storage for tensors that are spilled, and for weights that flash has no room "
           "for: a storage of the device, or one of your "
           "own: write=BYTES, a granule (1); erase=SIZE, a block (0: need not be erased); "
           "size=SIZE; queue=NUMBER, transfers in flight (2); compress[=SIZE], records are "
           "compressed, SIZE bytes at a time (256); read_speed, write_speed=SIZE a second (1M); "
           "access_time, erase_time=SECONDS; endurance=ERASES; read_energy, "
           "write_energy=NANOJOULES "
           "a byte; erase_energy=NANOJOULES a block; stalls=yes",
       .set = [](R& r, const V& v) { r.storage = v.text(); },
       .texts = [](const R& r) { return text_if(!r.storage.empty(), r.storage); }},
      {.name = "max_recompute",
       .option = "--max-recompute",
       .group = kLimits,
       .form = kNumber,
       .type = "RATIO",
       .help = "Most MACs beyond the network's that a plan may execute, as a ratio of them "
               "(planners that recompute: any)",
       .most = 1e6,
       .set = [](R& r, const V& v) { r.max_recompute = v.number(); },
       .texts = [](const R& r) { return number_texts(r.max_recompute); }},
      {.name = "max_latency",
       .option = "--max-latency",
       .group = kLimits,
       .form = kNumber,
       .type = "RATIO",
       .help = "Most estimated instructions, as a ratio of the fastest plan's; inf: any (1.25; "
               "with a limit on SRAM any)",
       .least = 1,
       .most = kAny,
       .set = [](R& r, const V& v) { r.max_latency = v.number(); },
       .texts = [](const R& r) { return number_texts(r.max_latency); }},
      {.name = "jobs",
       .option = "--jobs",
       .group = kLimits,
       .form = kCount,
       .type = "NUMBER",
       .help = "Threads, which make no difference to the plan (all cores)",
       .least = 1,
       .most = 1024,
       .set = [](R& r, const V& v) { r.jobs = static_cast<int>(v.whole().value_or(0)); },
       .texts = [](const R& r) { return text_if(r.jobs != 0, std::to_string(r.jobs)); }},
      {.name = "effort",
       .option = "--effort",
       .group = kLimits,
       .form = kWhole,
       .type = "NUMBER",
       .help = "Work of the search, in multiples of the usual (1); 0: a quick answer",
       .least = 0,
       .most = 1e6,
       .set = [](R& r, const V& v) { r.effort = v.whole().value_or(1); },
       .texts = [](const R& r) { return text_if(r.effort != 1, std::to_string(r.effort)); }},
      {.name = "in_place",
       .option = "--no-in-place",
       .group = kLimits,
       .form = kOff,
       .help = "No output over an input",
       .set = [](R& r, const V& v) { r.in_place = !v.given(); },
       .texts = [](const R& r) { return text_if(!r.in_place); }},
      {.name = "layout",
       .option = "--layout",
       .group = kLimits,
       .form = kWord,
       .help = "Address assignment: exact, or what the interpreter does",
       .words = {"exact", "greedy_by_size"},
       .set =
           [](R& r, const V& v) {
             r.layout = v.word() == 0 ? LayoutMethod::kExact : LayoutMethod::kGreedyBySize;
           },
       .texts =
           [](const R& r) {
             return text_if(r.layout == LayoutMethod::kGreedyBySize, "greedy_by_size");
           }},
      {.name = "time_limit",
       .option = "--time-limit",
       .group = kLimits,
       .form = kNumber,
       .type = "SECONDS",
       .help = "Most time for planning and layout together; past it, the best answer so far (300)",
       .least = 0.001,
       .most = 86400,
       .set =
           [](R& r, const V& v) {
             r.time_limit_seconds = v.number().value_or(usual.time_limit_seconds);
           },
       .texts =
           [](const R& r) {
             const double seconds = r.time_limit_seconds;
             return text_if(seconds != usual.time_limit_seconds, fmt::format("{}", seconds));
           }},
      {.name = "input",
       .option = "--input",
       .group = kLimits,
       .form = kPlace,
       .type = "PLACE",
       .help = "Where inputs come from: resident, in the arena (default); user, memory of yours "
               "that is read and left as it is; streamed, row by row, not whole in memory unless "
               "that needs less (planners auto and stream)",
       .words = {"resident", "user", "streamed"},
       .set = [](R& r, const V& v) { r.ports.input = kPlaces.at(v.word()); },
       .texts =
           [](const R& r) {
             return text_if(r.ports.input != Place::kResident, name(r.ports.input));
           }},
      {.name = "output",
       .option = "--output",
       .group = kLimits,
       .form = kPlace,
       .type = "PLACE",
       .help = "Where outputs go: resident, in the arena (default); user, memory of yours; "
               "streamed, row by row",
       .words = {"resident", "user", "streamed"},
       .set = [](R& r, const V& v) { r.ports.output = kPlaces.at(v.word()); },
       .texts =
           [](const R& r) {
             return text_if(r.ports.output != Place::kResident, name(r.ports.output));
           }},
      {.name = "align_ports",
       .option = "--align-ports",
       .group = kLimits,
       .form = kWhole,
       .type = "BYTES",
       .help =
           "Inputs and outputs in the arena begin at multiples of so many bytes, 16 to 4096, and "
           "share none of their last ones: 32 for DMA and the cache lines of a Cortex-M7 (1)",
       .least = 1,
       .most = kMostPortAlignment,
       .set =
           [](R& r, const V& v) {
             r.align_ports = v.whole().value_or(1);
             if (!std::has_single_bit(static_cast<uint64_t>(r.align_ports)) ||
                 (r.align_ports != 1 && r.align_ports < kLeastPortAlignment))
               v.reject(fmt::format("{} is no power of two from {} to {}", r.align_ports,
                                    kLeastPortAlignment, kMostPortAlignment));
           },
       .texts =
           [](const R& r) { return text_if(r.align_ports != 1, std::to_string(r.align_ports)); }},
  };
}

}  // namespace thimble
