// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes are imported or refused with CompileError; what is imported can be
// asked for its access maps and costs. To build and run (clang):
//
//   cmake -S . -B build/fuzz -G Ninja -DTHIMBLE_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++
//     -DCMAKE_BUILD_TYPE=RelWithDebInfo
//     -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
//   ninja -C build/fuzz fuzz_import
//   mkdir -p corpus && cp some/*.tflite corpus    (small models find most; single operators are
//   best) build/fuzz/fuzz/fuzz_import -max_total_time=120 -rss_limit_mb=1024 -timeout=10 corpus
//
// A crash is written to crash-<hash>; run the target with that file to see it again.
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const thimble::Graph graph = thimble::import_tflite({data, size}, "fuzz", "fuzz.tflite");
    for (const thimble::Op& op : graph.ops) {
      (void)thimble::access_map(graph, op);
      (void)thimble::macs(graph, op);
    }
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so. Anything else (InternalError included) is a finding.
  }
  return 0;
}
