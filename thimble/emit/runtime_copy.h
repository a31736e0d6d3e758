// SPDX-License-Identifier: Apache-2.0
// The runtime's files as they are emitted. A folder has one copy of a version, with the parts that
// any of its models uses. Copies with the same parts merge when they are linked into one program,
// others stand side by side:
//
//   in the repository                    emitted
//   runtime/include/thimble_runtime/X.h  thimble_runtime_1a2b3c4d/X.h
//   runtime/portable/X.cc                thimble_runtime_1a2b3c4d/portable/X.cc
//   #include "thimble_runtime/X.h"       #include "../X.h", which no include path can turn
//   elsewhere namespace thimble::runtime           namespace thimble::runtime_5e6f7a8b void
//   conv_2d(...)                    [[gnu::weak]] void conv_2d(...)
//
// The folder's digits are of a hash of all the runtime's files, in use or not: its version. The
// namespace's are of a hash of the same with the parts in use. Models say thimble::runtime, which
// is another name for it that kernels.h gives: they stay as they are when the parts change.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {

/// "thimble_runtime_1a2b3c4d", the folder of copies of a version.
[[nodiscard]] std::string runtime_folder(std::span<const RuntimeFile> runtime);
/// "thimble::runtime_5e6f7a8b" of a copy with these parts (emit/uses.h).
[[nodiscard]] std::string runtime_namespace(std::span<const RuntimeFile> runtime,
                                            const std::set<std::string>& used);

/// Copies of `paths` (below runtime/), of what they include, and the licence, sorted by path.
[[nodiscard]] std::vector<EmittedFile> runtime_copies(std::span<const RuntimeFile> runtime,
                                                      const std::set<std::string>& used,
                                                      std::set<std::string> paths);
/// Copies of all files.
[[nodiscard]] std::vector<EmittedFile> runtime_copies(std::span<const RuntimeFile> runtime,
                                                      const std::set<std::string>& used);

}  // namespace thimble
