// SPDX-License-Identifier: Apache-2.0
// What an emitted folder looks like in the projects that people have: a library of Arduino's, a
// module of Zephyr's, .. Each is a row of a table: where the files of emit() go, what goes around
// the example, and the files that the ecosystem's own tools read.
//
//   kws.cc                    src/kws.cpp                   (arduino)
//   kws_example.c             examples/kws/kws.ino
//                             library.properties, keywords.txt, README.md
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/emit/project.h"

namespace thimble {

/// A model of a folder, to the ecosystem's files.
struct ProjectModel {
  std::string name;
  std::vector<std::string> sources;  ///< where they lie in the folder, its own first
  /// Those of them whose constants are in a file beside them (emit/weights.h).
  std::vector<std::string> with_bytes = {};
  /// That of them whose constants are flashed by themselves; empty: none.
  std::string at_address = {};
  std::string readme = {};  ///< its section of README.md

  /// Kernels that need an instruction set ("dsp", "mve").
  [[nodiscard]] bool needs(std::string_view instructions) const;
};

struct ProjectFacts {
  std::string version;  ///< Thimble's
  std::vector<ProjectModel> models;
  std::set<std::string> runtimes = {};  ///< their folders

  /// Of what the folder is to its ecosystem: the model's, "thimble_models" of several.
  [[nodiscard]] std::string name() const;
};

/// Where the files of emit() go.
struct ProjectPlaces {
  std::string headers = {};        ///< a folder's "include/" for NAME.h
  std::string sources = {};        ///< for all other code
  std::string source_end = ".cc";  ///< of C++ files
  std::string example = "@NAME@_example.c";
};

struct Ecosystem {
  std::string name;   ///< "arduino"
  const char* about;  ///< "a library for the Arduino IDE and arduino-cli"
  ProjectPlaces places;
  /// Of the example of a model of that name.
  ExampleFrame (*example)(const std::string& name);
  /// What its tools read. The paths follow from the models' names alone.
  std::vector<EmittedFile> (*files)(const ProjectFacts& project);
  /// How the folder becomes part of a project, for README.md.
  std::string (*building)(const ProjectFacts& project);

  /// What files() writes, and README.md.
  [[nodiscard]] std::vector<EmittedFile> all_files(const ProjectFacts& project) const;
  /// Of all_files(), for models of these names.
  [[nodiscard]] std::set<std::string> paths(const std::vector<std::string>& models) const;
  /// Where a file of emit() goes.
  [[nodiscard]] std::string placed(const std::string& emitted) const;
  /// The inverse; nothing: no file of emit() goes there.
  [[nodiscard]] std::optional<std::string> emitted(const std::string& placed) const;
};

/// The first is the usual one.
[[nodiscard]] std::span<const Ecosystem> ecosystems();
/// Nothing if there is none of that name.
[[nodiscard]] const Ecosystem* find_ecosystem(std::string_view name);

}  // namespace thimble
