// SPDX-License-Identifier: Apache-2.0
// thimble.json in an emitted folder: what Thimble wrote there, for which models. What it does not
// have, or has with another hash, is the user's.
//
//   {"format": 1, "export": "cmake",
//    "models": {"kws": {"model": "KWS", "sha256": "1f3a...",
//                       "runtime": "thimble_runtime_1a2b3c4d", "uses": ["RINGS"],
//                       "made": {"version": "0.1.0", "command": "thimble compile ..", ..}}},
//    "files": {"kws.cc": {"sha256": "09bc...", "models": ["kws"]}, ...}}
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace thimble {

inline constexpr const char* kManifestName = "thimble.json";
/// What emit() may write of a model, behind its name, beside images of storage.
inline constexpr const char* kModelFiles[] = {
    ".h",         ".cc",        "_weights.h", "_weights.cc",          "_weights.cc.bin",
    "_example.c", "_plan.json", "_labels.cc", "_micro_interpreter.h", "_weights.bin"};

struct Manifest {
  /// What made the code, as far as its plan, NAME_plan.json, does not say.
  struct Made {
    std::string version, command;  ///< empty: an earlier Thimble, which wrote no plan
    std::string core;              ///< empty: any
    int64_t clock_hz = 0;
    double time_limit_seconds = 0;         ///< that ended the search; 0: none did
    bool trace = false;                    ///< the code tells what it computes
    std::string weights_form = {};         ///< empty: auto
    std::vector<std::string> labels = {};  ///< of classes
    bool operator==(const Made&) const = default;
  };
  struct Model {
    std::string model;   ///< as its file is called, without ".tflite"
    std::string sha256;  ///< of that file
    /// The folder of its copy of the runtime, and what it uses of it (emit/uses.h).
    std::string runtime = {};
    std::set<std::string> uses = {};
    Made made = {};
    std::string readme = {};  ///< its section of README.md
    bool operator==(const Model&) const = default;
  };
  struct File {
    std::string sha256;            ///< of its content
    std::set<std::string> models;  ///< by the names of their code: those that need it
    bool operator==(const File&) const = default;
  };
  std::string ecosystem = "cmake";      ///< whose layout the folder has (projects/ecosystem.h)
  std::map<std::string, Model> models;  ///< by the name of their code
  std::map<std::string, File> files;    ///< by their path in the folder, with '/'
  bool operator==(const Manifest&) const = default;
};

[[nodiscard]] std::string to_json(const Manifest& manifest);
/// Nothing if the text is no manifest, or names anything that Thimble would not write: paths out of
/// the folder, hidden files, names that are no identifiers.
[[nodiscard]] std::optional<Manifest> manifest_from_json(const std::string& text);

/// The manifest of a folder: empty if it has none or does not exist; nothing if what it has under
/// that name is none.
[[nodiscard]] std::optional<Manifest> read_manifest(const std::filesystem::path& folder);

}  // namespace thimble
