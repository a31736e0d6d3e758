// SPDX-License-Identifier: Apache-2.0
#include "thimble/output/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <system_error>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

std::string description(const OutputFile& output) {
  switch (output.kind) {
    case FileKind::kFolder:
      return "emitted sources";
    case FileKind::kSvg:
      return "an SVG";
    case FileKind::kPng:
      return "a PNG picture";
    case FileKind::kReport:
      return fmt::format("a report of Thimble's ({})", output.report);
    case FileKind::kPage:
      return "a page of Thimble's";
    case FileKind::kPlan:
      return "a plan of Thimble's";
    case FileKind::kCycles:
      return "what a board measured";
    case FileKind::kLayout:
      return "a layout of Thimble's";
    case FileKind::kNpy:
      return "a .npy file";
    case FileKind::kSafetensors:
      return "a .safetensors file";
    case FileKind::kTflite:
      return "a model";
  }
  throw InternalError("unknown FileKind");
}

bool has_all(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::all_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// Behind the length of its header, a .safetensors file begins with that header, which is JSON.
bool is_safetensors(std::string_view text) {
  if (text.size() < 10) return false;
  uint64_t header_bytes = 0;
  for (size_t k = 8; k-- > 0;)
    header_bytes = header_bytes << 8 | static_cast<unsigned char>(text[k]);
  return header_bytes >= 2 && header_bytes <= text.size() - 8 && text[8] == '{';
}

// A "no" is an answer of every command that plans, and what follows it in the same file is another.
bool is_report(std::string_view text, const std::string& report) {
  const auto says = [&](const std::string& name) {
    return text.substr(0, 100).find("\"thimble_report\": \"" + name + "\"") !=
           std::string_view::npos;
  };
  return text.starts_with('{') && (says(report) || says("infeasible"));
}

bool is_of_kind(std::string_view text, const OutputFile& output) {
  switch (output.kind) {
    case FileKind::kFolder:
      return true;
    case FileKind::kSvg:
      return (text.starts_with("<svg") || text.starts_with("<?xml")) && has_all(text, {"<svg"});
    case FileKind::kPng:
      return text.starts_with("\x89PNG");
    case FileKind::kReport:
      return is_report(text, output.report);
    case FileKind::kPage:
      return text.starts_with("<!doctype html>") &&
             text.substr(0, 400).find("name=\"generator\" content=\"Thimble\"") !=
                 std::string_view::npos;
    case FileKind::kPlan:
      return text.starts_with('{') && has_all(text, {"\"thimble_plan\""});
    case FileKind::kCycles:
      return text.starts_with('{') && has_all(text, {"\"counted\": \"cycles\""});
    case FileKind::kLayout:
      return text.starts_with("id,lower,upper,size,offset");
    case FileKind::kNpy:
      return text.starts_with("\x93NUMPY");
    case FileKind::kSafetensors:
      return is_safetensors(text);
    case FileKind::kTflite:
      return false;
  }
  throw InternalError("unknown FileKind");
}

bool same_file(const std::string& a, const std::string& b) {
  if (is_stream(a) || is_stream(b)) return false;
  std::error_code error;
  return fs::equivalent(a, b, error) || resolved(a) == resolved(b);
}

void check_kind(const OutputFile& output) {
  const std::string& path = output.file.path;
  std::error_code error;
  const bool replaces = fs::is_regular_file(path, error) && fs::file_size(path, error) > 0;
  if (output.kind == FileKind::kFolder || is_stream(path) || !replaces) return;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (is_of_kind(text, output)) return;
  throw CompileError(
      output.file.option,
      output.kind == FileKind::kTflite
          ? fmt::format("{} exists; give another file, or --force to replace it", path)
          : fmt::format("{} exists and is not {}; give another file, or --force to replace it",
                        path, description(output)));
}

}  // namespace

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<OutputFile>& outputs,
                   bool force) {
  std::vector<NamedFile> taken;
  for (const NamedFile& input : inputs) {
    if (!input.path.empty() && !input.path.starts_with("zoo:")) taken.push_back(input);
  }
  for (const OutputFile& output : outputs) {
    if (output.file.path.empty()) continue;
    for (const NamedFile& other : taken) {
      if (same_file(output.file.path, other.path)) {
        throw CompileError(output.file.option, fmt::format("{} is the same file as {}",
                                                           output.file.path, other.option));
      }
    }
    taken.push_back(output.file);
    if (!force) check_kind(output);
  }
}

}  // namespace thimble
