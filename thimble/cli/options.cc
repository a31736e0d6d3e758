// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "thimble/cli/command_text.h"
#include "thimble/driver/request.h"
#include "thimble/model/error.h"
#include "thimble/report/cores_report.h"
#include "thimble/report/html_page.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

CLI::Validator not_empty() {
  const auto fault = [](const std::string& text) {
    return text.empty() ? std::string("is empty") : std::string();
  };
  return {fault, "", "not_empty"};
}

// Says what such an option means elsewhere, for those who type it here.
CLI::Validator place_of(const CLI::App& app, const RequestField& field) {
  const std::string option = field.option;
  const std::string hint = app.get_name() == "run"
                               ? fmt::format("; a file is {}-file", option)
                               : std::string(option == "--output" ? "; a folder is -o" : "");
  const auto fault = [&field, hint](const std::string& text) {
    if (std::ranges::find(field.words, text) != field.words.end()) return std::string();
    throw CompileError(field.option, fmt::format("'{}' is none of {}{}", text,
                                                 fmt::join(field.words, ", "), hint));
  };
  return {fault, "", "place"};
}

CLI::Option* add_field_text(CLI::App& app, const RequestField& field, FieldTexts& given) {
  const auto keep = [&](const std::string& text) { given[field.name] = {text}; };
  return app.add_option_function<std::string>(field.option, keep, field.help);
}

template <class Number>
CLI::Option* add_field_number(CLI::App& app, const RequestField& field, FieldTexts& given) {
  const auto keep = [&](const std::optional<Number>& number) {
    if (number) given[field.name] = {fmt::format("{}", *number)};
  };
  return app.add_option_function<std::optional<Number>>(field.option, keep, field.help)
      ->type_name(field.type);
}

CLI::Option* add_option_of(CLI::App& app, const RequestField& field, FieldTexts& given) {
  switch (field.form) {
    case FieldForm::kText:
    case FieldForm::kSize:
      return add_field_text(app, field, given)->type_name(field.type)->check(not_empty());
    case FieldForm::kTexts: {
      const auto keep = [&](const Texts& texts) { given[field.name] = texts; };
      return app.add_option_function<Texts>(field.option, keep, field.help)
          ->type_name(field.type)
          ->allow_extra_args(false);
    }
    case FieldForm::kWord:
      return add_field_text(app, field, given)->check(CLI::IsMember(field.words));
    case FieldForm::kPlace:
      return add_field_text(app, field, given)->type_name(field.type)->check(place_of(app, field));
    case FieldForm::kWhole:
    case FieldForm::kNumber: {
      CLI::Option* option = field.form == FieldForm::kWhole
                                ? add_field_number<int64_t>(app, field, given)
                                : add_field_number<double>(app, field, given);
      return field.least == field.most ? option : option->check(between(field.least, field.most));
    }
    case FieldForm::kCount:
      return add_field_number<int64_t>(app, field, given)
          ->check(CLI::Range(static_cast<int>(field.least), static_cast<int>(field.most)));
    case FieldForm::kOn:
    case FieldForm::kOff:
      return app.add_flag_callback(
          field.option, [&] { given[field.name] = {""}; }, field.help);
  }
  throw InternalError("unknown FieldForm");
}

void add_import_and_graph(CLI::App& app, RequestOptions& options) {
  add_fields(app, FieldGroup::kImport, options);
  add_fields(app, FieldGroup::kGraph, options);
}

}  // namespace

CLI::Validator between(double least, double most) {
  const auto fault = [least, most](const std::string& text) {
    double value = 0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return inside ? std::string()
                  : fmt::format("'{}' is no number from {} to {}", text, least, most);
  };
  return {fault, fmt::format("[{} - {}]", least, most), "between"};
}

std::string RequestOptions::text(std::string_view field) const {
  const auto given = fields.find(field);
  return given == fields.end() ? std::string() : given->second.front();
}

std::vector<NamedFile> input_files(const RequestOptions& options) {
  return {{"MODEL", options.model},
          {"--calibration", options.text("calibration")},
          {"--labels", options.text("labels")},
          {"--device", options.text("device")}};
}

CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value, const char* type,
                      const std::string& help) {
  return app.add_option(names, value, help)->type_name(type)->check(not_empty());
}

void add_model_options(CLI::App& app, RequestOptions& options) {
  add_text(app, "MODEL", options.model, "", request_field("model").help)->required();
  add_import_and_graph(app, options);
}

void add_model_options(CLI::App& app, std::vector<std::string>& models, RequestOptions& options) {
  app.add_option(
         "MODEL", models,
         std::string(request_field("model").help) + "; several make one firmware, with one budget")
      ->type_name("")
      ->check(not_empty())
      ->required();
  add_import_and_graph(app, options);
}

void refuse_plan_options(const RequestOptions& options) {
  for (const char* name : {"planner", "calibration", "device", "core", "sram", "flash", "pick",
                           "max_latency", "input", "output", "storage"}) {
    const RequestField& field = request_field(name);
    const bool usual = field.form == FieldForm::kPlace && options.text(name) == field.words[0];
    if (options.has(name) && !usual)
      throw CompileError(field.option, "is for --on host or qemu; the reference has no plan");
  }
}

void add_plan_options(CLI::App& app, RequestOptions& options) {
  for (const FieldGroup group : {FieldGroup::kPlanner, FieldGroup::kTarget, FieldGroup::kLimits})
    add_fields(app, group, options);
}

void add_fields(CLI::App& app, FieldGroup group, RequestOptions& options) {
  for (const RequestField& field : request_fields()) {
    if (field.group == group) add_field(app, field, options);
  }
  if (group != FieldGroup::kTarget) return;
  app.get_option("--core")->transform([](const std::string& name) {
    if (name == "list") throw CLI::CallForVersion(cores_text(), 0);
    return name;
  });
}

void add_field(CLI::App& app, const RequestField& field, RequestOptions& options) {
  CLI::Option* option = add_option_of(app, field, options.fields);
  // By its own name from here on, so that what is written does not depend on spelling.
  if (field.canonical != nullptr) option->transform(field.canonical);
}

void add_force(CLI::App& app, bool& force) {
  as_output(app.add_flag("--force", force, "Replace existing files, whatever they hold"));
}

CLI::Option* add_json(CLI::App& app, ReportFile& file) {
  file.command = &app;
  return as_output(add_text(app, "--json", file.path, "FILE",
                            "Write the figures as JSON to a file (docs/json.md)"));
}

CLI::Option* add_html(CLI::App& app, ReportFile& file) {
  return as_output(add_text(app, "--html", file.html, "FILE",
                            "Write a page with the same figures: charts, memory map, graph "
                            "(docs/report.md)"));
}

std::vector<OutputFile> report_outputs(const ReportFile& file, const std::string& report) {
  if (!file.html.empty() && !has_html_page())
    throw CompileError("--html", "this thimble was built without its page (THIMBLE_HTML=OFF)");
  return {{{"--json", file.path}, FileKind::kReport, report},
          {{"--html", file.html}, FileKind::kPage}};
}

int64_t size_option(const char* option, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError& error) {
    throw CompileError(option, error.what());
  }
}

ImportOptions import_options(const RequestOptions& options) {
  Request result;
  set_fields(result, FieldGroup::kImport, options.fields);
  return result.import;
}

GraphOptions graph_options(const RequestOptions& options) {
  Request result;
  set_fields(result, FieldGroup::kGraph, options.fields);
  return result.graph;
}

Target target_option(const RequestOptions& options) {
  Request result;
  set_fields(result, FieldGroup::kTarget, options.fields);
  return result.target;
}

Request request(const RequestOptions& options) {
  FieldTexts texts = options.fields;
  texts["model"] = {options.model};
  return request_of(texts);
}

}  // namespace thimble
