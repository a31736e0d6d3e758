// SPDX-License-Identifier: Apache-2.0
// Devices whose memory is in several pieces: `--device`, `--external-ram`.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// zoo:demo with whole operators has 18 and 9 KiB live at its peak.
class DeviceMemories : public CommandLine {
 protected:
  DeviceMemories() { write_device("18K", "12K"); }

  void write_device(const std::string& first, const std::string& second,
                    const std::string& psram = "") const {
    write("board.json", R"({"name": "two-banks", "chip": "made up", "core": "cortex-m4",
      "clock_hz": 80000000, "flash": "1M", "memories": [
        {"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": ")" +
                            first + R"("}, {"base": "0x10000000", "size": ")" + second + R"("}]},
        {"name": "psram", "kind": "external_ram",)" +
                            psram + R"(
         "banks": [{"base": "0x60000000", "size": "8M"}]}]})");
  }

  [[nodiscard]] ProcessResult planned(const std::string& command,
                                      std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {command,   "zoo:demo", "--planner",
                                          "reorder", "--device", "board.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return thimble(arguments);
  }
};

TEST_F(DeviceMemories, BuffersLieInASecondBankWhereTheLargestIsTooSmall) {
  const ProcessResult result = planned("compile", {"-o", "code", "--json", "r.json"});
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("  SRAM     18.0 KiB (18,432 B)"));
  EXPECT_THAT(result.out, HasSubstr(" 9.5 KiB (9,696 B) of "));
  const json memories = json_of(read("r.json")).at("memories");
  ASSERT_EQ(memories.size(), 2U);
  EXPECT_EQ(memories.at(1).at("name"), "sram_2");
  EXPECT_EQ(memories.at(1).at("size_bytes"), 9'696);
  EXPECT_THAT(read("code/demo.h"), AllOf(HasSubstr("  void* arena; /* demo_arena_bytes bytes,"),
                                         HasSubstr("  void* sram_2_arena; /* "),
                                         HasSubstr("demo_run(const demo_memories* memories);")));
  EXPECT_EQ(planned("run").exit_status, 0) << "as the reference";
}

TEST_F(DeviceMemories, OneBankThatIsEnoughIsAllThatIsUsed) {
  write_device("27K", "10K");
  EXPECT_THAT(planned("compile").out, Not(HasSubstr("sram_2")));
}

TEST_F(DeviceMemories, TooLittleInAllOfThemDoesNotFit) {
  write_device("18K", "8K");
  EXPECT_EQ(planned("compile").exit_status, 2);
  EXPECT_EQ(planned("compile", {"--external-ram"}).exit_status, 0);
}

// Four cycles a byte at 80 MHz are 20 MB/s.
TEST_F(DeviceMemories, ExternalRamMakesTheCoreWait) {
  json memory;
  const auto estimate = [&](const std::string& psram) {
    write_device("18K", "8K", psram);
    const ProcessResult result =
        planned("compile", {"--external-ram", "--json", "r.json", "--force"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("M cycles for memories"));
    EXPECT_THAT(result.out, HasSubstr("\n  waits    psram: "));
    const json report = json_of(read("r.json"));
    memory = report.at("memories").back();
    return report.at("estimate");
  };
  const json assumed = estimate(""), fast = estimate(R"("bytes_per_second": 160000000,)");
  const auto waits = [](const json& e) { return e.at("wait_cycles").get<int64_t>(); };
  EXPECT_GT(waits(assumed), 0);
  EXPECT_EQ(waits(assumed), 8 * waits(fast));
  EXPECT_EQ(memory.at("name"), "psram");
  EXPECT_EQ(memory.at("wait_cycles"), waits(fast));
  EXPECT_EQ(memory.at("touched_bytes").get<int64_t>(), 2 * waits(fast)) << "half a cycle a byte";
  EXPECT_GT(memory.at("wait_cycles_if_all").get<int64_t>(), 4 * waits(fast));
  EXPECT_EQ(assumed.at("instructions"), fast.at("instructions"));
  EXPECT_NEAR(assumed.at("milliseconds_at_a_cycle_each").get<double>(),
              (assumed.at("instructions").get<double>() + waits(assumed)) / 80e3, 1e-3);
}

TEST_F(DeviceMemories, ALimitOfTheUsersIsOneForAllThatIsOnChip) {
  EXPECT_EQ(planned("compile", {"--sram", "18K"}).exit_status, 2);
  const ProcessResult result = planned("compile", {"--sram", "18K", "--external-ram"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, HasSubstr(" of 8.0 MiB (8,388,608 B), layout proven optimal"));
  EXPECT_THAT(result.out, Not(HasSubstr("sram_2")));
}

TEST_F(DeviceMemories, ExternalRamIsForADeviceThatHasSome) {
  const ProcessResult none = thimble({"compile", "zoo:demo", "--external-ram"});
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_THAT(none.err, HasSubstr("--external-ram: needs a --device that has some"));
  EXPECT_EQ(
      thimble({"compile", "zoo:demo", "--device", "nucleo-l476rg", "--external-ram"}).exit_status,
      1);
}

TEST_F(DeviceMemories, SavedPlansAreVerifiedPerMemory) {
  ASSERT_EQ(planned("compile", {"--save-plan", "p.json"}).exit_status, 0);
  EXPECT_EQ(thimble({"verify", "zoo:demo", "p.json"}).exit_status, 0);
  const json plan = json_of(read("p.json"));
  const auto changed = [&](const std::function<void(json&)>& change) {
    json other = plan;
    change(other);
    write("other.json", other.dump());
    return thimble({"verify", "zoo:demo", "other.json"});
  };
  const ProcessResult small = changed([](json& p) {
    for (json& memory : p["memories"]) {
      if (memory["name"] == "sram_2") memory["capacity_bytes"] = 9'695;
    }
  });
  EXPECT_EQ(small.exit_status, 4);
  EXPECT_THAT(small.out, HasSubstr("sram_2 has 9695 bytes, but 9696 are needed there"));
  const ProcessResult moved = changed([](json& p) {
    for (json& buffer : p["buffers"]) buffer.erase("memory");
  });
  EXPECT_EQ(moved.exit_status, 4) << "all at their addresses, but in one memory";
  for (const char* name : {"/* x", "flash", "", "sram_3"}) {
    const ProcessResult named = changed([&](json& p) { p["memories"][1]["name"] = name; });
    EXPECT_EQ(named.exit_status, 1) << name;
    EXPECT_THAT(named.err, HasSubstr("other.json: "));
  }
  const ProcessResult storage =
      changed([](json& p) { p["memories"][1]["kind"] = "block_storage"; });
  EXPECT_EQ(storage.exit_status, 1);
  EXPECT_THAT(storage.err, HasSubstr("block storage"));
}

}  // namespace
}  // namespace thimble::testing
