// SPDX-License-Identifier: Apache-2.0
// The table of kernels, and what is asked of it: rows by name, by family and for a call, and their
// scratch.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

std::vector<KernelInfo> joined_rows() {
  std::vector<KernelInfo> all;
  const auto append = [&](std::span<const KernelInfo> rows) {
    all.insert(all.end(), rows.begin(), rows.end());
  };
#define THIMBLE_ROWS(file) append(file##_rows());
#include "thimble/target/kernels/rows.def"
  return all;
}

bool is_of(const KernelInfo& k, const KernelInfo& portable) {
  return (k.family == portable.family || k.also == portable.family) && k.in == portable.in &&
         k.out == portable.out;
}

KernelId id_of(const KernelInfo& kernel) {
  return {static_cast<int16_t>(&kernel - kernels().data())};
}

}  // namespace

std::span<const KernelInfo> kernels() {
  static const std::vector<KernelInfo> all = joined_rows();
  return all;
}

const KernelInfo& info(KernelId kernel) {
  const auto k = static_cast<size_t>(kernel.row);
  const std::span<const KernelInfo> all = kernels();
  check(kernel.valid() && k < all.size(), "info: unknown kernel");
  return all[k];
}

std::string KernelInfo::source() const { return fmt::format("{}/{}.cc", thimble::name(set), name); }

KernelId kernel_named(std::string_view name) {
  const auto found = std::ranges::find(kernels(), name, &KernelInfo::name);
  return found == kernels().end() ? KernelId{} : id_of(*found);
}

KernelId portable_kernel(Family family, DType in, DType out) {
  for (const KernelInfo& k : kernels()) {
    if (k.family == family && k.in == in && k.out == out && k.set == InstructionSet::kPortable)
      return id_of(k);
  }
  return {};
}

KernelId copy_kernel(DType type) {
  switch (type) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
      return portable_kernel(Family::kCopy);
    case DType::kInt16:
      return portable_kernel(Family::kCopy, DType::kInt16, DType::kInt16);
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
      return portable_kernel(Family::kCopy, DType::kInt32, DType::kInt32);
    case DType::kInt64:
    case DType::kUInt64:
      return portable_kernel(Family::kCopy, DType::kInt64, DType::kInt64);
  }
  throw InternalError("unknown DType");
}

bool does(KernelId kernel, const KernelUse& use) {
  const KernelInfo& k = info(kernel);
  return kernel == use.kernel ||
         (is_of(k, info(use.kernel)) && (k.takes == nullptr || k.takes(use)));
}

KernelId chosen(KernelId wanted, const KernelUse& use) {
  return wanted.valid() && does(wanted, use) ? wanted : use.kernel;
}

namespace {

bool has_nibbles(const Candidate& candidate) {
  return info(candidate.kernel).form == WeightForm::kNibbles;
}

// Those in 4 bits, if they are to be taken alone: a portable one first.
std::vector<Candidate> smallest(const std::vector<Candidate>& all, Weights weights) {
  std::vector<Candidate> nibbles;
  bool own = false, own_nibbles = false;  // kernels that are not portable
  for (const Candidate& candidate : all) {
    const bool portable = info(candidate.kernel).set == InstructionSet::kPortable;
    own = own || !portable;
    if (!has_nibbles(candidate)) continue;
    own_nibbles = own_nibbles || !portable;
    nibbles.insert(portable ? nibbles.begin() : nibbles.end(), candidate);
  }
  return weights == Weights::kLeast || own == own_nibbles ? nibbles : std::vector<Candidate>{};
}

// Whether the kernel's form of weights may be taken. The portable kernel for 4 bits is no faster
// than that for 8: it is there for its bytes.
bool takes_weights(const Core& core, const KernelInfo& k) {
  const bool portable_nibbles =
      k.form == WeightForm::kNibbles && k.set == InstructionSet::kPortable;
  return core.weights <= k.weights && (!portable_nibbles || core.weights >= Weights::kCompact);
}

}  // namespace

std::vector<Candidate> candidates(const KernelUse& use, const Core& core) {
  std::vector<Candidate> result{{use.kernel, scratch_bytes(use.kernel, use)}};
  for (const KernelInfo& k : kernels()) {
    const KernelId kernel = id_of(k);
    if (kernel != use.kernel && core.has(k.set) && takes_weights(core, k) && does(kernel, use))
      result.push_back({kernel, scratch_bytes(kernel, use)});
  }
  if (core.weights < Weights::kCompact || !use.nibbles) return result;
  std::vector<Candidate> nibbles = smallest(result, core.weights);
  if (!nibbles.empty()) return nibbles;
  std::erase_if(result, has_nibbles);
  return result;
}

int64_t scratch_bytes(KernelId kernel, const KernelUse& use) {
  const KernelInfo& k = info(kernel);
  return k.scratch_bytes == nullptr ? 0 : k.scratch_bytes(use.params);
}

std::optional<int64_t> scratch_within(KernelId kernel, const KernelUse& use,
                                      const CallExtents& call, int64_t budget_bytes) {
  const KernelInfo& k = info(kernel);
  if (k.scratch_within != nullptr) {
    const int64_t bytes = k.scratch_within(use.params, call, budget_bytes);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
  }
  const int64_t bytes = scratch_bytes(kernel, use);
  return bytes <= budget_bytes ? std::optional(bytes) : std::nullopt;
}

int64_t least_scratch_bytes(KernelId kernel, const KernelUse& use) {
  const int64_t all = std::numeric_limits<int32_t>::max();
  return scratch_within(kernel, use, {}, all).value_or(all);
}

void invoke(const Invocation& call) { info(call.kernel).invoke(call); }

}  // namespace thimble
