// SPDX-License-Identifier: Apache-2.0
// The rows of the table, a file each, and what these share.
#pragma once

#include <string>
#include <vector>

#include "thimble/projects/ecosystem.h"
#include "thimble/projects/filled.h"

namespace thimble {

[[nodiscard]] Ecosystem arduino();
[[nodiscard]] Ecosystem cmake();
[[nodiscard]] Ecosystem cmsis_pack();
[[nodiscard]] Ecosystem esp_idf();
[[nodiscard]] Ecosystem makefile();
[[nodiscard]] Ecosystem platformio();
[[nodiscard]] Ecosystem stm32cube();
[[nodiscard]] Ecosystem zephyr();

/// What emitted C++ is compiled with, in the order of importance: -std=c++17 comes apart, as each
/// ecosystem has words of its own for it.
inline constexpr const char* kCompileFlags =
    "-ffreestanding -fno-exceptions -fno-rtti -ffp-contract=off -ffunction-sections "
    "-fdata-sections";
/// Whatever the application has: Debug would be four times slower.
inline constexpr const char* kOptimisation = "-O2";

/// The first lines of a file whose comments begin with `begin`: whose it is, and who wrote it.
[[nodiscard]] std::string file_head(const std::string& begin, const ProjectFacts& project);
/// Each item behind `before`, which has the line's end.
[[nodiscard]] std::string lines_of(const std::vector<std::string>& items,
                                   const std::string& before);
/// All models', each once.
[[nodiscard]] std::vector<std::string> all_sources(const ProjectFacts& project);
/// A CMakeLists.txt with a static library for each model, which hand on the folders `includes`.
[[nodiscard]] std::string cmake_lists(const ProjectFacts& project, const std::string& includes);
/// What CMake is told of sources with constants in files beside them or at an address; each line
/// begins with `before`.
[[nodiscard]] std::string weights_properties(const ProjectModel& model, const std::string& before);
/// A NAME.mk for each model, whose callers look for headers in `includes`, below the folder.
[[nodiscard]] std::vector<EmittedFile> make_fragments(const ProjectFacts& project,
                                                      const std::vector<std::string>& includes);
/// ", `-DKWS_WEIGHTS_ADDRESS=...`" of each model whose constants are flashed by themselves, with
/// `before` "-D".
[[nodiscard]] std::string addresses(const ProjectFacts& project, const std::string& before);
/// "examples/@NAME@/main.c" of each model.
[[nodiscard]] std::vector<EmittedFile> for_each_model(const ProjectFacts& project,
                                                      const std::string& path,
                                                      const std::string& text);
/// An example that does an inference in a function of its own, infer(), which `tail` calls.
[[nodiscard]] ExampleFrame framed(const std::string& name, const std::string& about,
                                  const std::string& head, const std::string& tail);
/// A program of Arduino's, with setup() and loop().
[[nodiscard]] ExampleFrame sketch(const std::string& name, const std::string& file,
                                  const std::string& head);

}  // namespace thimble
