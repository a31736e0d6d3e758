// SPDX-License-Identifier: Apache-2.0
// Emitted code of a network that spills, with faults of its storage: what became of each inference.
//   storage_faults --csv bench/results/storage_faults.csv
// A row for each storage and kind of fault. "runs" are inferences that a fault struck, "cut_off"
// those without power, whose answer is the next one's. "wrong" (status 0 and another output),
// "hangs" (more calls than a run may take), "unhealed" (the inference behind one with a fault is
// not correct) and "misuses" (calls that storage.h does not allow) should be 0.
#include <fmt/format.h>

#include <string>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "bench/storage_campaign.h"

namespace {

using namespace thimble;

/// The table as it is made.
struct Table {
  std::string text;
  int64_t runs = 0, faults = 0;
  bool sound = true;

  void add(const std::string& storage, const std::string& kind, const FaultTally& tally) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", storage, csv_field(kind),
                        tally.runs, tally.faults, tally.correct, tally.statuses, tally.cut_off,
                        tally.wrong, tally.hangs, tally.unhealed, tally.misuses, tally.most_calls);
    runs += tally.runs;
    faults += tally.faults;
    sound = sound && tally.sound();
  }
};

void add_storage(SpilledNetwork& network, const std::string& name, int64_t runs, uint64_t seed,
                 Table& table) {
  StorageCampaign campaign(network);
  const bool erases = network.storage().storage->erase_bytes > 0;
  for (int k = 1; k < kStorageFaults; ++k) {
    const auto fault = static_cast<StorageFault>(k);
    if (fault == StorageFault::kHalfErased && !erases) continue;
    const bool sweeps = fault == StorageFault::kFlippedInStorage;
    const int64_t least = sweeps ? network.storage().size_bytes : campaign.calls();
    table.add(name, thimble::name(fault), campaign.run(fault, std::max(runs, least), seed + k));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string path, model = "zoo:unet:resolution=16";
  int64_t runs = 250;
  uint64_t seed = 1;
  CommandLine line{"storage_faults", "Inferences whose storage goes wrong"};
  line.add("--csv", &path, "File to write (standard output)");
  line.add("--model", &model, "Network, with one input and one output (zoo:unet:resolution=16)");
  line.add("--runs", &runs, "Of each kind and storage, at least (250)", {.positive = true});
  line.add("--seed", &seed, "Of the faults (1)");
  return line.run(argc, argv, [&] {
    Table table{.text = "# " + line.command() +
                        "\nstorage,fault,runs,faults,correct,status,cut_off,wrong,hangs,unhealed,"
                        "misuses,most_calls\n"};
    SpilledNetwork overwritten(model, "spare:write=8,queue=4");
    SpilledNetwork flash(model, "spare:write=4,erase=1K,queue=2");
    add_storage(overwritten, "overwritten", runs, seed, table);
    add_storage(flash, "erased", runs, seed + 100, table);
    SpilledNetwork at_host(model, "host:write=1,queue=4");
    RemoteCampaign remote(at_host);
    for (int k = 1; k < kRemoteFaults; ++k) {
      const auto fault = static_cast<RemoteFault>(k);
      table.add("serial remote", thimble::name(fault), remote.run(fault, runs, seed + 200 + k));
    }
    table.text += fmt::format("# {} runs, {} faults\n", table.runs, table.faults);
    write_table(path, table.text);
    return table.sound ? 0 : 1;
  });
}
