// SPDX-License-Identifier: Apache-2.0
// Independent parts of a search on several threads. What comes out does not depend on how many.
#pragma once

#include <cstddef>
#include <functional>

namespace thimble {

/// The processor's cores.
[[nodiscard]] int all_cores();

/// Calls work(k, worker) once for every k < count; worker < jobs is the same for calls that are
/// never made at the same time. Returns when all have ended; throws what the first of them threw,
/// by its k.
void in_parallel(size_t count, int jobs, const std::function<void(size_t k, size_t worker)>& work);

}  // namespace thimble
