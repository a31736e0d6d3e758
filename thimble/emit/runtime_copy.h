// SPDX-License-Identifier: Apache-2.0
// The runtime's files as they are emitted. Copies of one version merge when they are linked into
// one program, copies of different versions stand side by side:
//
//   in the repository                    emitted
//   runtime/include/thimble_runtime/X.h  thimble_runtime_1a2b3c4d/X.h
//   runtime/portable/X.cc                thimble_runtime_1a2b3c4d/portable/X.cc
//   #include "thimble_runtime/X.h"       #include "../X.h", which no include path can turn
//   elsewhere namespace thimble::runtime           namespace thimble::runtime_1a2b3c4d void
//   conv_2d(...)                    [[gnu::weak]] void conv_2d(...)
//
// The digits are of a hash of all the runtime's files, in use or not.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/emit.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {

/// "1a2b3c4d" of a version of the runtime.
[[nodiscard]] std::string runtime_version(std::span<const RuntimeFile> runtime);
/// "thimble_runtime_1a2b3c4d", the folder of its copy in an emitted project.
[[nodiscard]] std::string runtime_folder(const std::string& version);
/// "thimble::runtime_1a2b3c4d"
[[nodiscard]] std::string runtime_namespace(const std::string& version);

/// Copies of `paths` (below runtime/), of what they include, and the licence, sorted by path.
[[nodiscard]] std::vector<EmittedFile> runtime_copies(std::span<const RuntimeFile> runtime,
                                                      std::set<std::string> paths);

}  // namespace thimble
