// SPDX-License-Identifier: Apache-2.0
// The list of networks.
#include "zoo/zoo.h"

#include <fmt/format.h>

#include "thimble/model/error.h"
#include "zoo/networks.h"

namespace thimble {
namespace {

struct Network {
  const char* name;
  const char* about;
  Graph (*build)();
};

constexpr Network kNetworks[] = {
    {"demo", "image classifier, 48x48x1, separable convolutions with residuals", zoo::demo},
    {"reordering_figure1", "the example of the operator reordering paper (Liberis and Lane, 2019)",
     zoo::reordering_figure1},
};

}  // namespace

std::vector<ZooEntry> zoo_entries() {
  std::vector<ZooEntry> entries;
  for (const Network& network : kNetworks) entries.push_back({network.name, network.about});
  return entries;
}

Graph build_zoo(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  std::string names;
  for (const Network& network : kNetworks) {
    if (name == network.name) {
      if (name == spec) return network.build();
      throw CompileError("zoo:" + spec, name + " takes no parameters");
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", network.name);
  }
  throw CompileError("zoo:" + spec, "there is no such network; there are " + names);
}

}  // namespace thimble
