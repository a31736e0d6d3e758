// SPDX-License-Identifier: Apache-2.0
// The options that several subcommands share, and how they appear on the command line. Those that
// are fields of a request follow from their table (driver/request_fields.h).
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/request_fields.h"
#include "thimble/output/output_files.h"

// A declaration: CLI11 takes seconds to compile in each file that includes it.
namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace thimble {

struct GraphOptions;
struct ImportOptions;
struct Target;

/// Fields of a request as typed.
struct RequestOptions {
  std::string model;  ///< file or "zoo:NAME"
  FieldTexts fields;  ///< the others that were given

  [[nodiscard]] bool has(std::string_view field) const { return fields.contains(field); }
  /// The first text; empty: not given.
  [[nodiscard]] std::string text(std::string_view field) const;
};

/// The files that such options name, for check_outputs.
[[nodiscard]] std::vector<NamedFile> input_files(const RequestOptions& options);

/// An option or argument that must not be empty: an unset shell variable is a mistake, not a
/// default.
CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value, const char* type,
                      const std::string& help);
/// A number in a range. CLI::Range takes "nan", which is on neither side.
[[nodiscard]] CLI::Validator between(double least, double most);
/// MODEL, what is read of it, and how its graph is prepared.
void add_model_options(CLI::App& app, RequestOptions& options);
/// Adds the same options to a command that takes several models.
void add_model_options(CLI::App& app, std::vector<std::string>& models, RequestOptions& options);
/// The planner, the target, and limits.
void add_plan_options(CLI::App& app, RequestOptions& options);
/// Throws CompileError for one that was given: the plain interpreter has no plan.
void refuse_plan_options(const RequestOptions& options);
void add_fields(CLI::App& app, FieldGroup group, RequestOptions& options);
void add_field(CLI::App& app, const RequestField& field, RequestOptions& options);
/// --force
void add_force(CLI::App& app, bool& force);

/// --json and --html: where the figures go, and the command that they are of.
struct ReportFile {
  std::string path;  ///< empty: nowhere
  std::string html;  ///< the page with the same figures; likewise
  const CLI::App* command = nullptr;

  [[nodiscard]] bool wanted() const { return !path.empty() || !html.empty(); }
};
CLI::Option* add_json(CLI::App& app, ReportFile& file);
CLI::Option* add_html(CLI::App& app, ReportFile& file);
/// Both, for check_outputs. report: the command.
[[nodiscard]] std::vector<OutputFile> report_outputs(const ReportFile& file,
                                                     const std::string& report);

/// The size that an option gives. Throws CompileError, with its name.
[[nodiscard]] int64_t size_option(const char* option, const std::string& text);

/// Texts as values. Throws CompileError for sizes that are none, unknown devices, and inputs for
/// calibration that cannot be read.
[[nodiscard]] ImportOptions import_options(const RequestOptions& options);
[[nodiscard]] GraphOptions graph_options(const RequestOptions& options);
[[nodiscard]] Target target_option(const RequestOptions& options);
[[nodiscard]] Request request(const RequestOptions& options);

}  // namespace thimble
