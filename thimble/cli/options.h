// SPDX-License-Identifier: Apache-2.0
// The options that several subcommands share, and how they appear on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/output/output_files.h"

// A declaration: CLI11 takes seconds to compile in each file that includes it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace thimble {

struct ModelOptions {
  std::string model;                       ///< file or "zoo:NAME"
  std::vector<std::string> until, shapes;  ///< of a file; shapes as typed
  bool rewrite = true, keep_channels = false;
  std::string io_type = "model";   ///< or "int8"
  std::string max_bytes = "128M";  ///< of activations, as typed
};

struct PlanOptions {
  std::string planner;       ///< "" is the default
  std::string calibration;   ///< file of inputs that scales of accumulators are measured on, or ""
  std::string device, core;  ///< as typed
  std::string sram, flash;   ///< sizes as typed
  std::optional<double> max_recompute, max_latency;  ///< ratios
  int64_t effort = 1;
  int jobs = 0;
  std::optional<int64_t> pick;  ///< number of a plan of the front
  bool in_place = true;
  std::string layout = "exact";
  std::string weights = "auto";
  bool external_ram = false;        ///< what does not fit on chip may lie in the device's
  double time_limit_seconds = 300;  ///< of planning and layout together
  PortPlaces ports;
};

/// The files that such options name, for check_outputs.
[[nodiscard]] std::vector<NamedFile> input_files(const ModelOptions& model,
                                                 const PlanOptions& plan);

/// An option or argument that must not be empty: an unset shell variable is a mistake, not a
/// default.
CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value, const char* type,
                      const std::string& help);
void add_model_options(CLI::App& app, ModelOptions& options);
/// As above, for a command that takes several models.
void add_model_options(CLI::App& app, std::vector<std::string>& models, ModelOptions& options);
/// --force
void add_force(CLI::App& app, bool& force);
/// Those of ModelOptions beside the model itself.
void add_graph_options(CLI::App& app, ModelOptions& options);
/// --until, --shape
void add_import_options(CLI::App& app, ModelOptions& options);
void add_max_bytes(CLI::App& app, std::string& size);
void add_plan_options(CLI::App& app, PlanOptions& options);
/// --device, --core
void add_target_options(CLI::App& app, std::string& device, std::string& core);
/// Those of PlanOptions beside the planner.
void add_limit_options(CLI::App& app, PlanOptions& options);

/// --json: where the figures go, and the command that they are of.
struct ReportFile {
  std::string path;  ///< empty: nowhere
  const CLI::App* command = nullptr;
};
CLI::Option* add_json(CLI::App& app, ReportFile& file);

/// The size that an option gives. Throws CompileError, with its name.
[[nodiscard]] int64_t size_option(const char* option, const std::string& text);

/// Texts as values. Throws CompileError for sizes that are none, unknown devices, and inputs for
/// calibration that cannot be read.
[[nodiscard]] ImportOptions import_options(const ModelOptions& options);
[[nodiscard]] GraphOptions graph_options(const ModelOptions& options);
[[nodiscard]] Target target_option(const std::string& device, const std::string& core);
[[nodiscard]] Request request(const ModelOptions& model, const PlanOptions& plan);

}  // namespace thimble
