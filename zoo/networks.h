// SPDX-License-Identifier: Apache-2.0
// One function per network of the zoo, in the file of its family.
#pragma once

#include "thimble/model/graph.h"
#include "zoo/parameters.h"

namespace thimble::zoo {

struct Network {
  std::string name;
  std::string about;  ///< one line
  std::vector<Parameter> parameters;
  Graph (*build)(const std::string& name, const Parameters& parameters);
};

[[nodiscard]] std::vector<Network> amoebanet_networks();
[[nodiscard]] std::vector<Network> audio_networks();
[[nodiscard]] std::vector<Network> classic_networks();
[[nodiscard]] std::vector<Network> darts_networks();
[[nodiscard]] std::vector<Network> decoder_networks();
[[nodiscard]] std::vector<Network> demo_networks();
[[nodiscard]] std::vector<Network> efficientnet_networks();
[[nodiscard]] std::vector<Network> figure_networks();
[[nodiscard]] std::vector<Network> fpnas_networks();
[[nodiscard]] std::vector<Network> keyword_networks();
[[nodiscard]] std::vector<Network> mcunet_networks();
[[nodiscard]] std::vector<Network> micronet_vww_networks();
[[nodiscard]] std::vector<Network> mobilenet_networks();
[[nodiscard]] std::vector<Network> msf_cnn_networks();
[[nodiscard]] std::vector<Network> nasnet_networks();
[[nodiscard]] std::vector<Network> randomly_wired_networks();
[[nodiscard]] std::vector<Network> resnet_networks();
[[nodiscard]] std::vector<Network> tiny_unet_networks();
[[nodiscard]] std::vector<Network> transformer_networks();
[[nodiscard]] std::vector<Network> unet_collection_networks();
[[nodiscard]] std::vector<Network> unet_networks();

}  // namespace thimble::zoo
