// SPDX-License-Identifier: Apache-2.0
// Networks on devices with several memories: where their bytes lie, and the estimated time of that
// against the same plan with all buffers in the slow memory, and against an older version:
//   memories --csv bench/results/memories.csv bench/results/memories.csv
// The column ms_before is that of the table given.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "thimble/analysis/traffic.h"
#include "thimble/driver/chosen_plan.h"
#include "thimble/driver/driver.h"
#include "thimble/program/estimate.h"
#include "thimble/target/device.h"

namespace {

using namespace thimble;

constexpr const char* kFourBanks = R"({"name": "four-banks", "chip": "none", "core": "cortex-m4",
  "clock_hz": 120000000, "flash": "8M", "memories": [{"name": "sram", "kind": "sram", "banks": [
    {"base": "0x20000000", "size": "128K"}, {"base": "0x20100000", "size": "64K"},
    {"base": "0x20200000", "size": "64K"}, {"base": "0x20300000", "size": "64K"}]}]})";
constexpr int64_t kFlashBytes = int64_t{16} << 20;  // where a board has external flash for weights

struct Line {
  std::string model, device, planner, input = "resident";
  int64_t sram_bytes = 0;  ///< 0: the device's

  [[nodiscard]] std::string key() const {
    return fmt::format("{},{},{},{},{}", model, device, planner, input, sram_bytes);
  }
};

std::vector<Line> lines() {
  const std::string mobilenet = "zoo:mobilenet_v2";
  std::vector<Line> result = {{mobilenet, "four-banks", "auto"},
                              {mobilenet, "four-banks", "auto", "streamed"}};
  for (const char* device : {"stm32f746g-disco", "pico-plus-2", "esp32-s3-devkitc-1-n8r8"}) {
    for (const char* planner : {"reorder", "auto"}) {
      result.push_back({mobilenet, device, planner});
      result.push_back({mobilenet, device, planner, "resident", 96 << 10});
    }
  }
  for (const char* planner : {"reorder", "auto"}) {
    result.push_back({"zoo:unet", "stm32f746g-disco", planner, "resident", 160 << 10});
    result.push_back({"zoo:tiny_unet", "stm32f746g-disco", planner, "resident", 64 << 10});
    result.push_back({"zoo:darts_cifar10:cells=8;channels=12", "nucleo-l476rg", planner});
  }
  return result;
}

Target target_of(const std::string& device) {
  return device == "four-banks" ? parse_target(kFourBanks, device) : find_target(device);
}

// All memories of the device that plans may use, as the core's clock has it.
double slowest_wait(const Target& target) {
  double slowest = 0;
  for (const Memory& memory : target.memories) {
    if (on_chip(memory.kind) || memory.kind == MemoryKind::kExternalRam)
      slowest = std::max(slowest, wait_cycles(memory, target.clock_hz));
  }
  return slowest;
}

double bytes_touched(const Compiled& compiled) {
  const Schedule& schedule = compiled.plan.schedule;
  const std::vector<int64_t> touched = traffic(compiled.graph, schedule);
  double sum = 0;
  for (size_t b = 0; b < touched.size(); ++b) {
    if (is_laid_out(schedule.buffers[b].memory)) sum += static_cast<double>(touched[b]);
  }
  return sum;
}

// fits,memories,core,instructions,wait_cycles,ms,ms_all_slow
std::string measured(const Line& line) {
  const Target target = target_of(line.device);
  const double slowest = slowest_wait(target);
  std::string model = line.model;
  std::ranges::replace(model, ';', ',');
  const Answer answer =
      compile({.model = model,
               .target = target,
               .sram_bytes = line.sram_bytes > 0 ? std::optional(line.sram_bytes) : std::nullopt,
               .flash_bytes = kFlashBytes,
               .external_ram = slowest > 0,
               .planner = line.planner,
               .ports = {.input = line.input == "streamed" ? Place::kStreamed : Place::kResident}});
  const auto* compiled = std::get_if<Compiled>(&answer);
  if (compiled == nullptr) return "no,,,,,,";
  std::string memories;
  for (const MemoryId id : compiled->plan.placement.in_use())
    memories += fmt::format("{}{} {}", memories.empty() ? "" : "; ",
                            compiled->plan.schedule.memory(id).name,
                            compiled->plan.placement.memory(id).size_bytes);
  if (!compiled->fits()) return fmt::format("no,{},,,,,", memories);
  const Core core = estimated_core(target.core);
  const double instructions =
      estimate_on(compiled->program, core, target.clock_hz).value().estimate.instructions;
  const double waits = wait_cycles(compiled->graph, compiled->plan.schedule);
  const auto ms = [&](double cycles) {
    return 1e3 * (instructions + cycles) / static_cast<double>(target.clock_hz);
  };
  return fmt::format(
      "yes,{},{},{:.0f},{:.0f},{:.1f},{}", memories, core.name, instructions, waits, ms(waits),
      slowest > 0 ? fmt::format("{:.1f}", ms(slowest * bytes_touched(*compiled))) : "");
}

// The last column of a table, by the first five.
std::map<std::string, std::string> before(const std::string& path) {
  std::map<std::string, std::string> result;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    size_t end = 0;
    for (int n = 0; n < 5 && end != std::string::npos; ++n)
      end = text.find(',', n == 0 ? 0 : end + 1);
    if (end != std::string::npos) result[text.substr(0, end)] = text.substr(text.rfind(',') + 1);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::string older, path;
  JobLimits limits{.parallel = static_cast<int>(std::thread::hardware_concurrency()),
                   .cpu_seconds = 600};
  CommandLine line{"memories", "Devices with several memories, beside an older version"};
  line.add("BEFORE", &older, "Table of the older version");
  line.add("--csv", &path, "File to write (standard output)");
  return line.run(argc, argv, [&] {
    const std::vector<Line> all = lines();
    const std::map<std::string, std::string> known = before(older);
    std::vector<std::function<std::string()>> jobs;
    for (const Line& of : all) jobs.emplace_back([&of] { return measured(of); });
    std::vector<std::string> results(all.size(), "no,,,,,,");
    run_jobs(jobs, limits, [&](size_t job, const JobResult& result) {
      if (result.done) results[job] = result.text;
    });
    std::string text = "# " + line.command() +
                       "\nmodel,device,planner,input,sram_bytes,fits,memories,core,instructions,"
                       "wait_cycles,ms,ms_all_slow,ms_before\n";
    for (size_t k = 0; k < all.size(); ++k) {
      const auto found = known.find(all[k].key());
      text += fmt::format("{},{},{}\n", all[k].key(), results[k],
                          found == known.end() ? "" : found->second);
    }
    write_table(path, text);
    return 0;
  });
}
