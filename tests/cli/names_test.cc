// SPDX-License-Identifier: Apache-2.0
// Names as people type them: `--core`, `--device`, `devices`; and what is said where none is named.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Names : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult compiled(std::vector<std::string> more) const {
    more.insert(more.begin(), {"compile", "zoo:demo"});
    return thimble_as_is(more);
  }
};

TEST_F(Names, ACoreIsKnownInAnySpelling) {
  const std::string expected = compiled({"--core", "cortex-m4"}).out;
  EXPECT_THAT(expected, HasSubstr(" instructions on cortex-m4 (estimated)"));
  for (const char* typed : {"Cortex-M4", "cortex_m4", "cortexm4", "m4"}) {
    const ProcessResult result = compiled({"--core", typed});
    EXPECT_EQ(result.exit_status, 0) << typed << result.err;
    EXPECT_EQ(result.out, expected) << typed;
  }
  EXPECT_THAT(compiled({"--core", "M0+"}).out, HasSubstr("instructions on cortex-m0"));
}

TEST_F(Names, AnUnknownCoreIsAnErrorWithTheNearestNames) {
  for (const char* typed : {"cortex-m44", "z80", "cortex-m4 -o x", "cortex-m4+fast", "listt"}) {
    const ProcessResult result = compiled({"--core", typed, "-o", "out"});
    EXPECT_EQ(result.exit_status, 1) << typed;
    EXPECT_THAT(result.err, HasSubstr(std::string("core '") + typed + "': ")) << typed;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_THAT(compiled({"--core", "cortex-m44"}).err, HasSubstr("the nearest are cortex-m4, "));
  EXPECT_TRUE(names().empty());
}

TEST_F(Names, CoresAreListed) {
  const ProcessResult result = compiled({"--core", "list"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("cortex-m0plus"), HasSubstr("portable, dsp, mve"),
                                HasSubstr("rv32imc"), HasSubstr("xtensa-esp32s3-elf-g++")));
  EXPECT_EQ(thimble({"compile", "--core", "list"}).out, result.out) << "without a model too";
}

TEST_F(Names, WithoutACoreTheAnswerBeginsWithWhatThatMeans) {
  const ProcessResult result = compiled({"--json", "r.json"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, ::testing::ContainsRegex(
                              "^zoo:demo [^\n]*\n  core     none is named: kernels for any core"));
  EXPECT_THAT(result.out, HasSubstr(": --core cortex-m4, or --device"));
  const json report = json_of(read("r.json"));
  EXPECT_TRUE(report.at("core").is_null());
  const json& other = report.at("unnamed_core");
  EXPECT_EQ(other.at("core"), "cortex-m4");
  EXPECT_LT(other.at("estimated_instructions"), report.at("estimate").at("instructions"))
      << "its own kernels are faster";
  for (const std::vector<std::string>& named :
       {std::vector<std::string>{"--core", "m4"}, {"--device", "nrf52840"}}) {
    std::vector<std::string> arguments = named;
    arguments.insert(arguments.end(), {"--json", "r.json"});
    EXPECT_THAT(compiled(arguments).out, Not(HasSubstr("none is named")));
    EXPECT_EQ(json_of(read("r.json")).at("core"), "cortex-m4");
    EXPECT_TRUE(json_of(read("r.json")).at("unnamed_core").is_null());
  }
}

TEST_F(Names, WhatIsSaidOfTheCoreWithoutANameHolds) {
  ASSERT_EQ(compiled({"--json", "r.json"}).exit_status, 0);
  const double said = json_of(read("r.json")).at("unnamed_core").at("estimated_instructions");
  ASSERT_EQ(compiled({"--core", "cortex-m4", "--json", "r.json"}).exit_status, 0);
  const double with = json_of(read("r.json")).at("estimate").at("instructions");
  EXPECT_NEAR(said / with, 1, 0.1);
}

TEST_F(Names, ADeviceIsFoundAsPeopleTypeIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"STM32F446RE", "stm32f446re"}, {"stm32f446", "stm32f446re"},
      {"nrf52840", "nrf52840"},       {"rp2040", "rp2040"},
      {"pico", "raspberry-pi-pico"},  {"pico2", "raspberry-pi-pico-2"},
      {"esp32-c3", "esp32-c3"},       {"ESP32-S3", "esp32-s3"},
      {"teensy41", "teensy-4.1"},     {"Nucleo_F446RE", "nucleo-f446re"}};
  for (const auto& [typed, name] : cases) {
    const ProcessResult result = compiled({"--device", typed});
    EXPECT_EQ(result.exit_status, 0) << typed << result.err;
    EXPECT_THAT(result.out, HasSubstr(std::string(", ") + name + ")\n")) << typed;
  }
  EXPECT_THAT(compiled({"--device", "nrf52"}).err, HasSubstr("could be "));
  const ProcessResult unknown = compiled({"--device", "nucleo-f446rr"});
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("the nearest are nucleo-f446re"));
}

TEST_F(Names, SpellingDoesNotChangeWhatIsWritten) {
  ASSERT_EQ(compiled({"--device", "Nucleo_F446RE", "-o", "a"}).exit_status, 0);
  ASSERT_EQ(compiled({"--device", "nucleo-f446re", "-o", "b"}).exit_status, 0);
  EXPECT_TRUE(read("a/demo.cc") == read("b/demo.cc"));
}

TEST_F(Names, NothingIsSaidOfTheTimeOfACoreWithoutALatencyModel) {
  for (const std::vector<std::string>& named :
       {std::vector<std::string>{"--core", "cortex-m23"}, {"--device", "esp32-s3"}}) {
    std::vector<std::string> arguments = named;
    arguments.insert(arguments.end(), {"--json", "r.json", "-o", "out", "--force"});
    const ProcessResult result = compiled(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("time     not estimated: there is no latency model of "));
    EXPECT_THAT(result.out, Not(HasSubstr(" ms at ")));
    EXPECT_TRUE(json_of(read("r.json")).at("estimate").is_null());
    EXPECT_THAT(read("out/demo.cc"), Not(HasSubstr("(estimated)")));
  }
  const ProcessResult front = thimble({"plan", "zoo:demo", "--pareto", "--device", "esp32-s3"});
  EXPECT_EQ(front.exit_status, 0);
  EXPECT_THAT(front.out,
              AllOf(HasSubstr("instructions are estimated on cortex-m4"), Not(HasSubstr(" ms"))));
}

TEST_F(Names, WaitStatesOfFlashAreSaid) {
  EXPECT_THAT(compiled({"--device", "stm32f446re"}).out,
              HasSubstr("flash of STM32F446RE has 5 wait states at 180 MHz"));
}

TEST_F(Names, MeasuringForXtensaSaysWhichCompilerIsMissing) {
  const ProcessResult result = compiled({"--core", "xtensa-esp32s3", "--measure"});
  if (result.exit_status == 0) GTEST_SKIP() << "the compiler is installed";
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("xtensa-esp32s3-elf-g++: is not installed, and no package"));
}

TEST_F(Names, DevicesAreSearched) {
  const std::string nordic = thimble({"devices", "NRF52"}).out;
  EXPECT_THAT(nordic, AllOf(HasSubstr("nrf52840-dk"), HasSubstr("arduino-nano-33-ble"),
                            Not(HasSubstr("nucleo"))));
  EXPECT_THAT(thimble({"devices", "arduino", "cortex-m7"}).out,
              AllOf(HasSubstr("arduino-giga-r1"), Not(HasSubstr("arduino-due"))));
  const ProcessResult none = thimble({"devices", "commodore"});
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_THAT(none.err, HasSubstr("commodore"));
  const std::string all = thimble({"devices"}).out;
  EXPECT_LT(all.find("nucleo-f446re"), all.find("boards of emulators"));
  EXPECT_GT(all.find("mps2-an386"), all.find("boards of emulators"));
}

TEST_F(Names, ADeviceIsExplainedInFull) {
  const std::string h743 = thimble({"devices", "Nucleo_H743ZI"}).out;
  EXPECT_THAT(h743, HasSubstr("nucleo-h743zi (also nucleo-h743zi2): a board of "));
  EXPECT_THAT(h743, HasSubstr("\nflash_bank2: storage in a part of flash"));
  EXPECT_THAT(h743, HasSubstr("\n  block erase time     1 s\n"));
  EXPECT_THAT(h743, HasSubstr("\n  DS12110 Rev 11, tables 43 and 140: flash at x64"));
  EXPECT_THAT(h743, Not(HasSubstr("largest piece"))) << "no table of one";
  const std::string disco = thimble({"devices", "disco", "f746"}).out;
  EXPECT_THAT(disco, HasSubstr("stm32f746g-disco (also 32f746gdiscovery): a board of "))
      << "the only one with both words";
  EXPECT_THAT(disco, HasSubstr("up to 8 times as long"));
}

TEST_F(Names, WhatElseHasAChipsNameFollowsIt) {
  const std::string text = thimble({"devices", "nrf52840"}).out;
  EXPECT_EQ(text.find("nrf52840: a chip of Nordic Semiconductor\n"), 0U);
  EXPECT_LT(text.find("\nsources\n"), text.find("largest piece"));
  EXPECT_THAT(text, HasSubstr("\narduino-nano-33-ble "));
}

TEST_F(Names, ADescriptionOfOnesOwnIsExplained) {
  const std::string description = R"({"name": "mine", "chip": "c", "core": "cortex-m4",
      "clock_hz": 1000000, "flash": "1M", "memories": [
        {"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": "64K"}]},
        {"name": "host", "kind": "block_storage", "size": "16M",
         "storage": {"erase_block_bytes": 0, "read_bytes_per_second": 396000}}]})";
  write("mine.json", description);
  EXPECT_THAT(thimble({"devices", "mine.json"}).out,
              AllOf(HasSubstr("mine: a description of one's own\n"),
                    HasSubstr("\n  read bandwidth  396 kB/s\n"), Not(HasSubstr("sources"))));
  std::string faulty = description;
  faulty.replace(faulty.find("396000"), 6, "\"fast\"");
  write("faulty.json", faulty);
  const ProcessResult result = thimble({"devices", "faulty.json"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("faulty.json, memory 1, storage: 'read_bytes_per_second' must "
                                    "be a whole number above 0"));
  EXPECT_EQ(thimble({"devices", "absent.json"}).exit_status, 1);
}

}  // namespace
}  // namespace thimble::testing
