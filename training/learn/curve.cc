// SPDX-License-Identifier: Apache-2.0
#include "training/learn/curve.h"

#include <fmt/format.h>

#include <sstream>

#include "thimble/model/error.h"

namespace thimble::training {
namespace {

constexpr const char* kNames =
    "stage,epoch,rate,loss,train_accuracy,test_accuracy,arena_bytes,weight_bytes,macs";

}  // namespace

std::string csv(const Curve& curve) {
  std::string text = std::string(kNames) + '\n';
  for (const CurvePoint& p : curve) {
    text += fmt::format("{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n", p.stage, p.epoch, p.rate,
                        p.loss, p.train_accuracy, p.test_accuracy, p.arena_bytes, p.weight_bytes,
                        p.macs);
  }
  return text;
}

Curve curve_from(const std::string& csv, const std::string& where) {
  std::istringstream lines(csv);
  std::string line;
  Curve curve;
  if (!std::getline(lines, line) || line != kNames)
    throw CompileError(where, "has no curve where one belongs");
  while (std::getline(lines, line)) {
    CurvePoint p;
    char comma = 0;
    std::istringstream fields(line);
    std::getline(fields, p.stage, ',');
    fields >> p.epoch >> comma >> p.rate >> comma >> p.loss >> comma >> p.train_accuracy >> comma >>
        p.test_accuracy >> comma >> p.arena_bytes >> comma >> p.weight_bytes >> comma >> p.macs;
    if (!fields) throw CompileError(where, "has a damaged curve");
    curve.push_back(std::move(p));
  }
  return curve;
}

}  // namespace thimble::training
