// SPDX-License-Identifier: Apache-2.0
// README.md of an emitted folder: what is true of any, and a section for each model.
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"

namespace thimble {

inline constexpr const char* kReadme = "README.md";

/// The section of a model, in Markdown.
[[nodiscard]] std::string model_section(const Graph& graph, const Program& program,
                                        const EmitOptions& options);
/// sections: of the folder's models. runtimes: folders of their runtimes. building: how the folder
/// becomes part of a project.
[[nodiscard]] std::string folder_readme(const std::vector<std::string>& sections,
                                        const std::vector<std::string>& runtimes,
                                        const std::string& version, const std::string& building);

}  // namespace thimble
