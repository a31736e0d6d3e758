// SPDX-License-Identifier: Apache-2.0
// How files become inputs: the options of `run` and `eval`.
#pragma once

#include <string>

#include "thimble/inputs/input_port.h"

namespace CLI {
class App;
}

namespace thimble {

struct InputOptions {
  std::string resize = "bilinear", fit = "stretch", channels = "model", axes = "model",
              front_end = "model", scale, mean, std;
};
void add_input_options(CLI::App& app, InputOptions& options);
/// Throws CompileError for numbers that are none.
[[nodiscard]] Preprocessing preprocessing(const InputOptions& options);
/// The option that was given; empty: none was.
[[nodiscard]] std::string given_option(const InputOptions& options);

}  // namespace thimble
