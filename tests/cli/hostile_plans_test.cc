// SPDX-License-Identifier: Apache-2.0
// `thimble verify` with plans that are right, wrong, foreign, damaged or made to hurt.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/workload.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// AddressSanitizer reserves terabytes of addresses, and takes its time.
constexpr const char* kMemory = kSanitized ? "" : "ulimit -v 4000000; ";
constexpr int kTimeoutSeconds = kSanitized ? 400 : 60;

class HostilePlans : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        thimble({"compile", "zoo:demo", "--planner", "pex", "--save-plan", "p.json"}).exit_status,
        0);
    plan_ = json_of(read("p.json"));
  }

  [[nodiscard]] ProcessResult verify(const std::string& text) const {
    write("changed.json", text);
    return run_process({.arguments = {"sh", "-c", std::string(kMemory) + "exec \"$0\" \"$@\"",
                                      THIMBLE_PROGRAM, "verify", "zoo:demo", "changed.json"},
                        .working_folder = folder(),
                        .timeout_seconds = kTimeoutSeconds});
  }
  void harmless(const json& plan, const std::string& what) const {
    const ProcessResult result = verify(plan.dump());
    EXPECT_FALSE(result.timed_out) << what;
    EXPECT_THAT(result.exit_status, ::testing::AnyOf(1, 4)) << what << result.out << result.err;
    EXPECT_EQ(result.err.find("out of memory"), std::string::npos) << what;
  }

  json plan_;
};

TEST_F(HostilePlans, RoundTripVerifies) {
  const ProcessResult result = thimble({"verify", "zoo:demo", "p.json"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("p.json: right: "));
}

TEST_F(HostilePlans, MovedBufferIsFound) {
  json changed = plan_;
  changed["buffers"][1]["address"] = changed["buffers"][2]["address"].get<int64_t>() + 1;
  const ProcessResult result = verify(changed.dump());
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_THAT(result.out, HasSubstr("changed.json: WRONG: step "));
}

TEST_F(HostilePlans, PlanOfAnotherModelIsRefused) {
  const ProcessResult result = thimble({"verify", "zoo:reordering_figure1", "p.json"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("p.json: is a plan of another model ('demo'"));
}

TEST_F(HostilePlans, DamagedJsonIsRefused) {
  const std::string whole = plan_.dump();
  const std::string deep(1'000'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("null"), std::string("hello"),
        whole.substr(0, whole.size() / 2), whole + "x", deep, deep + std::string(1'000'000, ']')}) {
    const ProcessResult result = verify(text);
    EXPECT_EQ(result.exit_status, 1) << text.substr(0, 40);
    EXPECT_THAT(result.err, HasSubstr("changed.json: not a saved plan of thimble: "));
  }
}

TEST_F(HostilePlans, DeepValueInPlaceOfANumberIsRefused) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(verify("{\"thimble_plan\": " + deep + "}").exit_status, 1);
}

TEST_F(HostilePlans, HostileNumbersAreRefused) {
  const json values = {
      -1,  int64_t{1} << 31, int64_t{1} << 62, INT64_MAX,     INT64_MIN, UINT64_MAX, 1e300,
      "x", nullptr,          json::array(),    json::object()};
  for (const char* pointer : {"/thimble_plan", "/inputs/0", "/outputs/0", "/loop_count",
                              "/buffers/1/tensor", "/buffers/1/extents/1", "/buffers/1/address",
                              "/nodes/1/op", "/nodes/1/in/0", "/nodes/1/out"}) {
    for (const json& value : values) {
      json changed = plan_;
      changed[json::json_pointer(pointer)] = value;
      harmless(changed, std::string(pointer) + " = " + value.dump());
    }
  }
}

TEST_F(HostilePlans, HugeLoopsEndSoon) {
  const json steps = plan_["nodes"];
  for (int64_t count : {int64_t{1'000'000}, int64_t{1} << 40, INT64_MAX}) {
    for (const json& body : {steps, json::array()}) {
      json changed = plan_;
      changed["loop_count"] = 1;
      changed["nodes"] = steps;
      changed["nodes"].push_back({{"loop", 0}, {"count", count}, {"body", body}});
      // A loop around nothing does nothing wrong: it need only end.
      if (body.empty() && verify(changed.dump()).exit_status == 0) continue;
      harmless(changed, "a loop of " + std::to_string(count));
    }
  }
}

TEST_F(HostilePlans, DeepLoopsEndSoon) {
  for (int depth : {20, 60, 70}) {
    json changed = plan_;
    json body = json::array();
    for (int k = 0; k < depth; ++k)
      body = json::array({json{{"loop", k}, {"count", 2}, {"body", body}}});
    changed["loop_count"] = depth;
    changed["nodes"].push_back(body[0]);
    harmless(changed, std::to_string(depth) + " loops");
  }
}

}  // namespace
}  // namespace thimble::testing
