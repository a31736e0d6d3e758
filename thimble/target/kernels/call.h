// SPDX-License-Identifier: Apache-2.0
// From the type of a kernel's function to how it is called. Private to rows.
#pragma once

#include "thimble/model/error.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {

template <class Params>
const Params& params_of(const Invocation& call) {
  check(call.params != nullptr, "invoke: the kernel needs parameters");
  const auto* params = std::get_if<Params>(call.params);
  check(params != nullptr, "invoke: parameters of another kernel");
  return *params;
}

inline const runtime::View& operand(const Invocation& call, size_t k) {
  check(k < call.in.size(), "invoke: an operand is missing");
  return call.in[k];
}

// Every form that a kernel's arguments have.
template <class P>
using UnaryKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                             const runtime::Region&) noexcept;
template <class P>
using BinaryKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                              const runtime::View&, const runtime::Region&) noexcept;
template <class P>
using AccumulatingKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                                    const runtime::Region&, int32_t, int32_t) noexcept;
template <class P>
using ScratchKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                               const runtime::Region&, int8_t*) noexcept;
template <class P>
using BinaryScratchKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                                     const runtime::View&, const runtime::Region&,
                                     int8_t*) noexcept;
template <class P>
using TernaryKernel = void (*)(const P&, const runtime::View&, const runtime::View&,
                               const runtime::View&, const runtime::View&,
                               const runtime::Region&) noexcept;
using MovingKernel = void (*)(const runtime::View&, const runtime::View&,
                              const runtime::Region&) noexcept;
using ComparingKernel = void (*)(const runtime::View&, const runtime::View&, const runtime::View&,
                                 const runtime::Region&) noexcept;
using SelectingKernel = void (*)(const runtime::View&, const runtime::View&, const runtime::View&,
                                 const runtime::View&, const runtime::Region&) noexcept;

template <class P>
void apply(UnaryKernel<P> kernel, const Invocation& call) {
  kernel(params_of<P>(call), operand(call, 0), call.out, call.region);
}
template <class P>
void apply(BinaryKernel<P> kernel, const Invocation& call) {
  kernel(params_of<P>(call), operand(call, 0), operand(call, 1), call.out, call.region);
}
template <class P>
void apply(TernaryKernel<P> kernel, const Invocation& call) {
  kernel(params_of<P>(call), operand(call, 0), operand(call, 1), operand(call, 2), call.out,
         call.region);
}
template <class P>
void apply(AccumulatingKernel<P> kernel, const Invocation& call) {
  kernel(params_of<P>(call), operand(call, 0), call.out, call.region, call.chunk_begin,
         call.chunk_end);
}
template <class P>
void apply(ScratchKernel<P> kernel, const Invocation& call) {
  check(call.scratch != nullptr, "invoke: the kernel needs scratch");
  kernel(params_of<P>(call), operand(call, 0), call.out, call.region, call.scratch);
}
template <class P>
void apply(BinaryScratchKernel<P> kernel, const Invocation& call) {
  check(call.scratch != nullptr, "invoke: the kernel needs scratch");
  kernel(params_of<P>(call), operand(call, 0), operand(call, 1), call.out, call.region,
         call.scratch);
}
inline void apply(MovingKernel kernel, const Invocation& call) {
  kernel(operand(call, 0), call.out, call.region);
}

inline void apply(ComparingKernel kernel, const Invocation& call) {
  kernel(operand(call, 0), operand(call, 1), call.out, call.region);
}

inline void apply(SelectingKernel kernel, const Invocation& call) {
  kernel(operand(call, 0), operand(call, 1), operand(call, 2), call.out, call.region);
}

}  // namespace thimble
