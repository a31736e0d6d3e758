// SPDX-License-Identifier: Apache-2.0
// The published figures of bench/papers: well-formed, and their units are what the papers mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "thimble/model/error.h"
#include "thimble/report/paper.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& json) {
  try {
    [[maybe_unused]] const Paper paper = parse_paper(json, "p");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

// A paper of one figure with `field` of it written as `value`.
std::string figure_with(const std::string& field, const std::string& value) {
  std::map<std::string, std::string> fields = {
      {"source", "\"s\""}, {"what", "\"w\""},       {"metric", "\"peak_bytes\""}, {"value", "5"},
      {"unit", "\"KB\""},  {"accounting", "\"a\""}, {"model", "\"zoo:demo\""}};
  fields[field] = value;
  std::string figure;
  for (const auto& [key, text] : fields) {
    if (!text.empty()) figure += (figure.empty() ? "" : ", ") + ("\"" + key + "\": " + text);
  }
  return R"({"title": "t", "citation": "c", "units": {"KB": 1024}, "accountings": {"a": "b"},
             "figures": [{)" +
         figure + "}]}";
}

TEST(Papers, AllOfTheFolderAreBuiltInAndWellFormed) {
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(THIMBLE_SOURCE_DIR) + "/bench/papers")) {
    const Paper paper = find_paper(entry.path().stem().string());
    EXPECT_FALSE(paper.figures.empty()) << paper.name;
    for (const PublishedFigure& figure : paper.figures) {
      EXPECT_GE(paper.base_value(figure).value_or(0), 0) << figure.source;
      EXPECT_EQ(figure.value.has_value(), figure.relation != PaperRelation::kDrawn);
      EXPECT_TRUE(figure.model.starts_with("zoo:")) << figure.model;
    }
    ++files;
  }
  EXPECT_EQ(files, paper_files().size());
}

TEST(Papers, UnitsAreThePapers) {
  const auto first = [](const char* name, double value) {
    const Paper paper = find_paper(name);
    for (const PublishedFigure& figure : paper.figures) {
      if (figure.value == value) return paper.base_value(figure).value();
    }
    return 0.0;
  };
  EXPECT_EQ(first("pex", 1505), 1'505'000);
  EXPECT_EQ(first("tinyseg", 1.35), 1'350'000);
  EXPECT_NEAR(first("tinyseg", 318.4), 318'400, 0.001);
  EXPECT_EQ(first("motes", 1470), 1'505'280);
  EXPECT_EQ(first("motes", 384), 384);
  EXPECT_EQ(first("operator_reordering", 5216), 5216);
  EXPECT_EQ(first("swapnn", 138), 138'000'000);
}

TEST(Papers, FaultsNameTheFigureAndTheField) {
  EXPECT_EQ(message_of(figure_with("value", "5")), "");
  EXPECT_THAT(message_of(figure_with("unit", "\"KiB\"")),
              HasSubstr("p, figure 1: 'unit' is 'KiB', which is not among the units"));
  EXPECT_THAT(message_of(figure_with("accounting", "\"x\"")), HasSubstr("'accounting' is 'x'"));
  EXPECT_THAT(message_of(figure_with("metric", "\"size\"")), HasSubstr("known are peak_bytes, "));
  EXPECT_THAT(message_of(figure_with("value", "\"5\"")), HasSubstr("'value' must be a number"));
  EXPECT_THAT(message_of(figure_with("colour", "1")), HasSubstr("unknown field 'colour'"));
  EXPECT_THAT(message_of(figure_with("step", "1")), HasSubstr("'step' belongs to live_bytes"));
  EXPECT_THAT(message_of(figure_with("relation", "\"about\"")), HasSubstr("equal, at_most, drawn"));
  EXPECT_THAT(message_of(figure_with("relation", "\"drawn\"")), HasSubstr("belongs to what is"));
  for (const char* field : {"source", "unit", "accounting", "model", "metric"}) {
    EXPECT_THAT(message_of(figure_with(field, "")),
                HasSubstr(std::string("lacks the field '") + field));
  }
  EXPECT_THAT(message_of("{"), HasSubstr("p: is not JSON"));
  EXPECT_THAT(message_of(figure_with("value", "1e999")), HasSubstr("p: is not JSON"));
  EXPECT_THAT(message_of(figure_with("step", "1e300")), HasSubstr("'step' belongs to live_bytes"));
  EXPECT_THAT(message_of(std::string(200'000, '[')), HasSubstr("p: is nested too deeply"));
}

// A paper whose only figure is simulated on a device with these fields.
std::string timed_with(const std::string& device, const std::string& figure = "\"device\": \"d\"") {
  return R"({"title": "t", "citation": "c", "units": {"ms": 0.001}, "accountings": {"a": "b"},
             "devices": {"d": {)" +
         device + R"(}}, "figures": [{"source": "s", "what": "w", "metric": "latency_seconds",
             "value": 5, "unit": "ms", "accounting": "a", "model": "zoo:demo", )" +
         figure + "}]}";
}

TEST(Papers, DevicesAreWhatTimesAreSimulatedOn) {
  const std::string speed = R"("says": "s", "nanoseconds_per_mac": 2)";
  const Paper paper = parse_paper(
      timed_with(speed + R"(, "storage": {"write_granule_bytes": 1, "erase_block_bytes": 0,
                              "read_bytes_per_second": 1000},
                             "driver": {"polled": true, "stored_share": 0.5})"),
      "p");
  const PaperDevice& device = paper.devices.at("d");
  EXPECT_EQ(device.nanoseconds_per_mac, 2);
  EXPECT_EQ(device.storage.value().read_bytes_per_second, 1000);
  EXPECT_EQ(device.driver, (SimulatedDriver{.polled = true, .stored_share = 0.5}));
  EXPECT_TRUE(measurable(paper.figures[0]));
  const Paper without = parse_paper(timed_with(speed, "\"cause\": \"c\""), "p");
  EXPECT_FALSE(measurable(without.figures[0]));
}

TEST(Papers, FaultsNameTheDeviceAndTheField) {
  const std::string says = R"("says": "s")", speed = says + R"(, "nanoseconds_per_mac": 2)";
  EXPECT_EQ(message_of(timed_with(speed)), "");
  EXPECT_THAT(message_of(timed_with(speed, R"("device": "e")")),
              HasSubstr("'device' is 'e', which is not among the devices"));
  EXPECT_THAT(message_of(figure_with("device", "\"d\"")),
              HasSubstr("'device' belongs to what is a time"));
  EXPECT_THAT(message_of(timed_with(says)), HasSubstr("p, devices, d: "));
  EXPECT_THAT(message_of(timed_with(says + R"(, "nanoseconds_per_mac": 0)")),
              HasSubstr("'nanoseconds_per_mac' must be"));
  EXPECT_THAT(message_of(timed_with(speed + R"(, "speed": 1)")), HasSubstr("'speed'"));
  EXPECT_THAT(message_of(timed_with(speed + R"(, "driver": {"stored_share": 3})")),
              HasSubstr("p, devices, d, driver: 'stored_share' must be"));
  EXPECT_THAT(message_of(timed_with(speed + R"(, "storage": {})")),
              HasSubstr("'storage' needs 'write_granule_bytes' and 'erase_block_bytes'"));
}

}  // namespace
}  // namespace thimble
