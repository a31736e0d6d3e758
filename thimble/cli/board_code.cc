// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/board_code.h"

#include <CLI/CLI.hpp>

#include "thimble/cli/answers.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/folder_code.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr int64_t kMostLogBytes = int64_t{1} << 30;

BoardLog log_of(const std::string& file) {
  const Bytes bytes = read_file(file, kMostLogBytes);
  return read_board_log({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace

void add_board_code_options(CLI::App& app, BoardCodeOptions& options) {
  add_text(app, "MODEL", options.request.model, "", "A .tflite or .onnx file, or zoo:NAME")
      ->required();
  add_text(app, "LOG", options.log, "",
           "What the board wrote: its serial line, kept in a file, with whatever else is there")
      ->required();
  add_text(app, "--code", options.code, "FOLDER",
           "The folder that the firmware was built of, of `compile -o`")
      ->required();
  add_fields(app, FieldGroup::kImport, options.request);
  add_field(app, request_field("max_bytes"), options.request);
  add_json(app, options.json);
  add_force(app, options.force);
}

BoardCode board_code(const BoardCodeOptions& options) {
  const Source source = read_model(options.request.model, import_options(options.request));
  BoardLog log = log_of(options.log);
  const ProgressLine progress("checking the code's plan");
  FolderCode code =
      check_folder_code(source, options.code, graph_options(options.request).max_bytes);
  if (!code.compiled.verification.ok())
    throw CompileError(options.code, "its plan is wrong: " + code.compiled.verification.fault);
  return {std::move(code.compiled), std::move(log), std::move(code.fault)};
}

}  // namespace thimble
