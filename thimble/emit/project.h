// SPDX-License-Identifier: Apache-2.0
// What is said of a project that is emitted, and the files that it consists of.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/uses.h"
#include "thimble/program/estimate.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {

/// What the pixel p, 0 to 255, of an input is as a real: (p - mean) / std, once or by channel;
/// empty: nobody says.
struct PixelMeaning {
  std::vector<float> mean, std;
};

/// How constants are emitted (emit/weights.h).
enum class WeightsForm : uint8_t {
  kAuto,    ///< text, or bytes where they are many
  kText,    ///< C++
  kIncbin,  ///< bytes that assembly takes in
  kBinary,  ///< bytes that are flashed by themselves, at an address of the user's
};
[[nodiscard]] const char* name(WeightsForm form);  ///< "auto", "text", "incbin", "binary"

/// What is around the inference of NAME_example.c. Default: a program in C, whose exit status is
/// the number of the largest output.
struct ExampleFrame {
  std::string about = {};                   ///< its first comment
  std::string head = {};                    ///< behind that: what it includes beside NAME.h
  std::string function = "int main(void)";  ///< that does the inference and returns the number
  std::string tail = {};
};

struct EmitOptions {
  std::string name;     ///< identifier and file name; see identifier.h
  std::string command;  ///< that made it, for the banner
  std::string version;
  std::string sha256;              ///< of the model
  std::string plan_sha256 = {};    ///< of NAME_plan.json
  bool trace = false;              ///< it tells what it computes, for `thimble diagnose`
  bool micro_interpreter = false;  ///< with the interface of tflite::MicroInterpreter
  std::string planner;
  std::vector<int64_t> live_bytes;  ///< per position of the schedule
  int64_t lower_bound_bytes = 0;
  bool layout_proven_optimal = false;
  int64_t macs = 0;
  std::string time;                  ///< estimated, a line for the banner; empty: not known
  Estimate estimate;                 ///< unless `time` is empty
  std::vector<std::string> remarks;  ///< for the banner, a line each
  std::span<const RuntimeFile> runtime = runtime_files();
  /// Constants of more bytes together are not printed (emit/weights.h): more than a chip's flash.
  int64_t most_text_bytes = int64_t{4} << 20;
  WeightsForm weights = WeightsForm::kAuto;
  /// Parts of its kernels that other programs use which share it (emit/uses.h).
  std::set<std::string> also_used = all_parts();
  std::vector<std::string> labels;   ///< names of classes; empty: none
  std::vector<PixelMeaning> pixels;  ///< by input; those missing: nobody says
  /// What they take of a core, for README.md: "512 B on cortex-m4 (estimated, ..)"; empty: nobody
  /// knows.
  std::string stack, code;
  int64_t port_alignment = 1;  ///< of ports in arenas (plan/port_alignment.h)
  ExampleFrame example = {};
  /// Where a file of emit() goes in the folder, for README.md; none: all lie as they are called.
  std::function<std::string(const std::string&)> placed = {};
};

struct EmittedFile {
  std::string path;  ///< relative, with '/'
  std::string text;
};

}  // namespace thimble
