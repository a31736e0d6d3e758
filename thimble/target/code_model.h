// SPDX-License-Identifier: Apache-2.0
// Flash that code takes and stack that it needs on a core, before there is a compiler: of each
// kernel what the compiler made of its source, of the code around its calls a coefficient for each
// thing that is written there. Both are data, cores/code/*.json, which fit_code writes
// (docs/cost.md):
//
//   {"core": "cortex-m4", "compiler": "arm-none-eabi-g++ 12.2.1", "command": "fit_code ...",
//    "parts": [{"kernels": ["conv_2d"], "bytes": 1180, "uses": {"RINGS": 96}},
//              {"kernels": ["conv_2d", "mean"], "bytes": 52}, ...],
//    "kernel_stack": {"conv_2d": 184, ...}, "stack": {"entry": 40, "table": 120},
//    "emitted": {"program": 40, "call": 31, ...}, "frames": {"stage": 24, ...},
//    "error": {"code_share": 0.05, "code_bytes": 400, "stack_share": 0.1, "stack_bytes": 32}}
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace thimble {

/// What is written around the calls of kernels, counted: in emitted functions ("stages") and in the
/// table of steps.
enum class CodeFeature : uint8_t {
  kProgram,      ///< 1: the functions that a caller sees
  kStage,        ///< functions, a loop with everything in it each
  kLoop,         ///< loops in them
  kCall,         ///< calls of kernels in them
  kOperand,      ///< views that these are handed
  kOffset,       ///< terms of views that follow a loop
  kBound,        ///< bounds of regions and chunks that follow a loop
  kCut,          ///< bounds that are cut to a tensor's extent
  kTable,        ///< 1 if there is a table of steps
  kTableKernel,  ///< kernels that the table calls
  kTableParams,  ///< of these, those with parameters
  kPort,         ///< tensors that the caller brings or takes, or streams
  kState,        ///< variables
  kData,         ///< bytes of parameters, regions and the table: known exactly
};
constexpr size_t kCodeFeatures = static_cast<size_t>(CodeFeature::kData) + 1;
[[nodiscard]] const char* name(CodeFeature feature);  ///< "program", "stage", ...
using CodeCounts = std::array<double, kCodeFeatures>;
[[nodiscard]] inline double& at(CodeCounts& counts, CodeFeature feature) {
  return counts[static_cast<size_t>(feature)];
}

/// Functions that the linker keeps where one of some kernels is called: a kernel's own, or those
/// that several share, in headers and in the compiler's libraries.
struct CodePart {
  std::set<std::string> kernels;
  double bytes = 0;                    ///< of flash, with nothing of thimble_runtime/uses.h
  std::map<std::string, double> uses;  ///< bytes more (or fewer) with each of these
  bool operator==(const CodePart&) const = default;
};
/// In CodePart::kernels: the code around the calls, which is always there.
inline constexpr const char* kAnyProgram = "any";

/// Largest differences from what the compiler made of programs that the model was not fitted to.
struct CodeError {
  double code_share = 0;
  int64_t code_bytes = 0;  ///< the margin of an estimate is the larger of both
  double stack_share = 0;
  int64_t stack_bytes = 0;
  bool operator==(const CodeError&) const = default;
};

struct CodeModel {
  std::string core;      ///< that was compiled for
  std::string compiler;  ///< and by which
  std::vector<CodePart> parts;
  std::map<std::string, int64_t> kernel_stack;  ///< of a kernel and all that it calls
  CodeCounts emitted = {};                      ///< bytes of flash
  CodeCounts frames = {};                       ///< bytes of stack of a stage, of what it counts
  int64_t entry_stack_bytes = 0;                ///< of the function that calls stages
  int64_t table_stack_bytes = 0;                ///< of the table's functions, without the kernel
  CodeError error = {};
  bool operator==(const CodeModel&) const = default;
};

/// `where` names the text in messages. Throws CompileError.
[[nodiscard]] CodeModel parse_code_model(const std::string& json, const std::string& where);
[[nodiscard]] std::string code_model_json(const CodeModel& model, const std::string& command);
/// The core's own, or that of one whose code it runs. Nothing for others.
[[nodiscard]] std::optional<CodeModel> code_model(const std::string& core);

}  // namespace thimble
