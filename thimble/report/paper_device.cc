// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/paper_device.h"

#include <nlohmann/json.hpp>

#include "thimble/target/memory_json.h"

namespace thimble {
namespace {

constexpr double kMostNanosecondsPerMac = 1e6, kMostShare = 2;

SimulatedDriver read_driver(const JsonObject& object) {
  object.check_fields({"polled", "erases_ahead", "erases_beside", "stored_share"});
  SimulatedDriver driver;
  if (object.has("polled")) driver.polled = object.flag("polled");
  if (object.has("erases_ahead")) driver.erases_ahead = object.flag("erases_ahead");
  if (object.has("erases_beside")) driver.erases_beside = object.flag("erases_beside");
  if (object.has("stored_share"))
    driver.stored_share = object.quantity("stored_share", kMostShare, false);
  return driver;
}

}  // namespace

PaperDevice parse_paper_device(const std::string& json, const std::string& where) {
  const nlohmann::json parsed = nlohmann::json::parse(json);
  const JsonObject object{parsed, where};
  constexpr const char *kOfAll = "nanoseconds_per_mac",
                       *kPointwise = "pointwise_nanoseconds_per_mac",
                       *kFullyConnected = "fully_connected_nanoseconds_per_mac";
  object.check_fields({"says", kOfAll, kPointwise, kFullyConnected, "storage", "driver"});
  const auto per_mac = [&](const char* field) {
    return object.quantity(object.has(field) ? field : kOfAll, kMostNanosecondsPerMac, false);
  };
  PaperDevice device{.says = object.text("says"),
                     .nanoseconds_per_mac = per_mac(kOfAll),
                     .pointwise_nanoseconds_per_mac = per_mac(kPointwise),
                     .fully_connected_nanoseconds_per_mac = per_mac(kFullyConnected)};
  if (object.has("storage")) {
    device.storage = read_storage({object.at("storage"), where + ", storage"});
    if (!device.storage->write_granule_bytes || !device.storage->erase_block_bytes)
      object.reject("'storage' needs 'write_granule_bytes' and 'erase_block_bytes'");
  }
  if (object.has("driver")) device.driver = read_driver({object.at("driver"), where + ", driver"});
  return device;
}

}  // namespace thimble
