// SPDX-License-Identifier: Apache-2.0
// Thimble in a program of yours: the bytes of a model and a limit in, figures and files in memory
// out.
//   fit MODEL.tflite SRAM_BYTES
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "thimble/driver/driver.h"

namespace {

thimble::Bytes content_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

void print(const thimble::Compiled& compiled) {
  std::printf("fits %s\n", yes_or_no(compiled.fits()));
  std::printf("arena_bytes %lld\n", static_cast<long long>(compiled.plan.placement.arena_bytes()));
  std::printf("weight_bytes %lld\n", static_cast<long long>(compiled.cost.weight_bytes));
  std::printf("macs %lld\n", static_cast<long long>(compiled.cost.macs));
  for (const thimble::Note& note : compiled.notes)
    std::printf("note %s\n", thimble::sentence(note, compiled.graph).c_str());
  for (const thimble::EmittedFile& file : compiled.files)
    std::printf("file %s %zu\n", file.path.c_str(), file.text.size());
}

// Shows what is going on; whoever waits in front of a window may end it by returning false.
bool show(thimble::Phase phase) {
  static auto shown = thimble::Phase::kReading;
  if (phase != shown) std::fprintf(stderr, "%s\n", name(phase));
  shown = phase;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("fit MODEL.tflite SRAM_BYTES\n", stderr);
    return 1;
  }
  try {
    const thimble::Answer answer =
        thimble::compile({.model = thimble::ModelBytes{"model", content_of(argv[1])},
                          .sram_bytes = std::atoll(argv[2]),
                          .emission = thimble::Emission{.name = "model", .command = "fit"},
                          .progress = show});
    if (const auto* no = std::get_if<thimble::Infeasible>(&answer)) {
      std::printf("fits no\nreason %s\n", no->reason.c_str());
      return 2;
    }
    const auto& compiled = std::get<thimble::Compiled>(answer);
    print(compiled);
    return compiled.fits() ? 0 : 2;
  } catch (const thimble::CompileError& error) {
    std::fprintf(stderr, "fit: %s\n", error.what());
    return 1;
  }
}
