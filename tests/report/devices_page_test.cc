// SPDX-License-Identifier: Apache-2.0
// The tables of docs/boards.md are what the devices are. THIMBLE_UPDATE=1 writes them anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/support/workload.h"
#include "thimble/projects/ecosystem.h"
#include "thimble/projects/usual_ecosystems.h"
#include "thimble/report/devices_report.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const kPage = THIMBLE_SOURCE_DIR "/docs/boards.md";
const std::string kMark = "IsUpToDate. -->\n\n";  // the tables are what follows

std::string page() {
  std::ifstream file(kPage, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DevicesPage, IsUpToDate) {
  const std::string tables = devices_markdown(builtin_devices());
  const std::string before = page();
  const size_t at = before.find(kMark);
  ASSERT_NE(at, std::string::npos);
  const std::string written = before.substr(0, at + kMark.size());
  if (testing::workload().update) std::ofstream(kPage, std::ios::binary) << written << tables;
  EXPECT_EQ(page(), written + tables)
      << "set THIMBLE_UPDATE=1 and run this test to write " << kPage;
}

TEST(DevicesPage, EveryDeviceIsInOneRowWithItsNames) {
  std::istringstream lines(devices_markdown(builtin_devices()));
  std::multiset<std::string> named;
  for (std::string line; std::getline(lines, line);) {
    const std::string names = line.substr(0, line.find(" | "));
    for (size_t at = 0; (at = names.find('`', at)) != std::string::npos;) {
      const size_t end = names.find('`', at + 1);
      named.insert(names.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  for (const Device& device : builtin_devices()) {
    EXPECT_EQ(named.count(device.target.name), 1U) << device.target.name;
    for (const std::string& alias : device.aliases) EXPECT_EQ(named.count(alias), 1U) << alias;
  }
}

TEST(DevicesPage, ARowHasBanksWhatLiesBesideAndWhereItRuns) {
  const std::string rows = devices_markdown(matching_devices({"stm32h750ib"}));
  EXPECT_THAT(rows, AllOf(HasSubstr("### STMicroelectronics\n"),
                          HasSubstr("| `daisy-seed` (`electrosmith-daisy`) | STM32H750IB | "
                                    "cortex-m7 | 480 | `dtcm` 128 KiB; `axi_sram` 512 KiB; "
                                    "`ahb_sram` 128 + 128 + 32 + 64 KiB | 128 KiB | `sdram` 64 "
                                    "MiB | mps2-an500 | `stm32cube` |\n"),
                          HasSubstr("| `stm32h750ib` | STM32H750IB | ")));
}

TEST(DevicesPage, EveryVendorOfChipsHasAnEcosystemThatIsThere) {
  for (const Device& device : builtin_devices()) {
    if (device.board && !device.emulated) continue;
    const std::vector<std::string> names = usual_ecosystems(device);
    EXPECT_FALSE(names.empty()) << device.vendor;
    for (const std::string& name : names) EXPECT_NE(find_ecosystem(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace thimble
