// SPDX-License-Identifier: Apache-2.0
// The list of networks, from their families.
#include "zoo/zoo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "zoo/networks.h"

namespace thimble {
namespace {

std::vector<zoo::Network> networks() {
  std::vector<zoo::Network> all;
  for (const auto family :
       {zoo::amoebanet_networks,      zoo::audio_networks,           zoo::classic_networks,
        zoo::darts_networks,          zoo::decoder_networks,         zoo::demo_networks,
        zoo::efficientnet_networks,   zoo::figure_networks,          zoo::fpnas_networks,
        zoo::keyword_networks,        zoo::mcunet_networks,          zoo::micronet_vww_networks,
        zoo::mobilenet_networks,      zoo::msf_cnn_networks,         zoo::nasnet_networks,
        zoo::randomly_wired_networks, zoo::resnet_networks,          zoo::tiny_unet_networks,
        zoo::transformer_networks,    zoo::unet_collection_networks, zoo::unet_networks}) {
    for (zoo::Network& network : family()) all.push_back(std::move(network));
  }
  std::ranges::sort(all, {}, &zoo::Network::name);
  return all;
}

}  // namespace

std::vector<ZooEntry> zoo_entries() {
  std::vector<ZooEntry> entries;
  for (const zoo::Network& network : networks()) {
    ZooEntry& entry = entries.emplace_back(ZooEntry{network.name, network.about, {}});
    for (const zoo::Parameter& p : network.parameters) {
      entry.parameters.push_back({p.key, p.initial, p.meaning});
    }
  }
  return entries;
}

Graph build_zoo(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  const std::string given = colon == std::string::npos ? "" : spec.substr(colon + 1);
  std::vector<std::string> names;
  for (const zoo::Network& network : networks()) {
    if (network.name != name) {
      names.push_back(network.name);
      continue;
    }
    return network.build(name, zoo::Parameters("zoo:" + spec, network.parameters, given));
  }
  throw CompileError("zoo:" + spec,
                     fmt::format("there is no such network; there are {}", fmt::join(names, ", ")));
}

}  // namespace thimble
