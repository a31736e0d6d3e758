// SPDX-License-Identifier: Apache-2.0
// Functions of the emitted header between numbers of the application and those of the network:
// reals, pixels, classes by their scores. They use neither a library nor memory of their own.
//
//   kws_quantize(0.5f)     a real as a value of the input      kws_top_k(y, 3, best)
//   kws_quantize_u8(255)   a pixel, likewise                   kws_label(best[0])
//   kws_dequantize(y[0])   a value of the output as a real
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/c_ports.h"

namespace thimble {

[[nodiscard]] std::string input_helpers(const HeaderPort& port, const PixelMeaning& pixels);
[[nodiscard]] std::string output_helpers(const HeaderPort& port);
/// What several of them call; empty: none does.
[[nodiscard]] std::string shared_helpers(const std::vector<HeaderPort>& inputs);

/// The declaration of NAME_label, and NAME_labels.cc, which defines it.
[[nodiscard]] std::string label_declaration(const EmitOptions& options);
[[nodiscard]] EmittedFile labels_file(const EmitOptions& options);

}  // namespace thimble
