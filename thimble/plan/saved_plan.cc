// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/saved_plan.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "thimble/import/file_bytes.h"
#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/plan/port_alignment.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;  // written in the order in which it reads well
using Parsed = nlohmann::json;

// Version 2 had the place of a port instead of each buffer's memory; up to version 3 all channels
// were kept; up to version 4 no constants were brought. They are read.
constexpr int kVersion = 5, kOldestVersion = 2;
constexpr int64_t kMostPlanBytes = int64_t{16} << 20;

// --- to JSON -------------------------------------------------------------------------------------

// A number, or {"base", "terms": [[loop, coefficient], ...], "divisor"}.
Json json_of(const IndexExpr& expr) {
  if (expr.constant() && expr.divisor == 1) return expr.base;
  Json terms = Json::array();
  for (const Term& term : expr.terms) terms.push_back({term.loop.value, term.coefficient});
  return {{"base", expr.base}, {"terms", terms}, {"divisor", expr.divisor}};
}

// Begin and end, and what they are cut to if the axis is tiled twice.
Json json_of(const IntervalExpr& interval) {
  Json json = Json::array();
  each_bound(interval, [&](const IndexExpr& bound) { json.push_back(json_of(bound)); });
  return json;
}

const char* name_of(Method method) {
  switch (method) {
    case Method::kCompute:
      return "compute";
    case Method::kInPlace:
      return "in_place";
    case Method::kAccumulate:
      return "accumulate";
    case Method::kFinalise:
      return "finalise";
  }
  throw InternalError("unknown method");
}

const char* name_of(TransferPart part) {
  switch (part) {
    case TransferPart::kNone:
      return "none";
    case TransferPart::kBegin:
      return "begin";
    case TransferPart::kErase:
      return "erase";
    case TransferPart::kWait:
      return "wait";
  }
  throw InternalError("unknown part of a transfer");
}

Json json_of(const ScheduleMemory& memory, const MemoryPlacement& placement) {
  Json json = {{"name", memory.name},
               {"kind", name(memory.kind)},
               {"alignment", memory.alignment},
               {"peak_bytes", placement.peak_bytes},
               {"lower_bound_bytes", placement.lower_bound_bytes},
               {"size_bytes", placement.size_bytes},
               {"layout_proven_optimal", placement.proven_optimal}};
  if (memory.capacity_bytes) json["capacity_bytes"] = *memory.capacity_bytes;
  if (memory.wait_cycles > 0) json["wait_cycles"] = memory.wait_cycles;
  if (memory.storage)
    json["storage"] = {{"write_bytes", memory.storage->write_bytes},
                       {"erase_bytes", memory.storage->erase_bytes},
                       {"most_in_flight", memory.storage->most_in_flight}};
  return json;
}

// Memories that differ from what every schedule has.
Json memories_json(const PlacedPlan& plan) {
  Json json = Json::array();
  const std::vector<ScheduleMemory>& memories = plan.schedule.memories;
  const std::vector<ScheduleMemory> common = common_memories();
  for (size_t m = 0; m < memories.size(); ++m) {
    if (m < common.size() && memories[m] == common[m]) continue;
    json.push_back(json_of(memories[m], plan.placement.memories[m]));
  }
  return json;
}

Json json_of(const Schedule& schedule, const Buffer& buffer, int64_t address) {
  Json origin = Json::array();
  for (const IndexExpr& expr : buffer.origin) origin.push_back(json_of(expr));
  Json json = {{"tensor", buffer.tensor.value},
               {"type", name(buffer.type)},
               {"extents", buffer.extents},
               {"origin", origin},
               {"address", address}};
  if (buffer.wrap) json["ring"] = {{"axis", buffer.wrap->axis}, {"modulus", buffer.wrap->modulus}};
  if (!buffer.order.empty()) json["order"] = buffer.order;
  if (buffer.sums) json["sums"] = true;
  if (buffer.memory != kArena) json["memory"] = schedule.memory(buffer.memory).name;
  if (buffer.chunk_bytes != 0) json["chunk_bytes"] = buffer.chunk_bytes;
  if (buffer.packed.valid())
    json["packed"] = {{"op", buffer.packed.op.value},
                      {"kernel", info(buffer.packed.kernel).name},
                      {"channels", buffer.packed.channels}};
  return json;
}

Json json_of(const Accumulator& accumulator) {
  return {{"tensor", accumulator.tensor.value},
          {"type", name(accumulator.type)},
          {"scale", accumulator.scale},
          {"zero_point", accumulator.zero_point},
          {"chunk", accumulator.chunk}};
}

Json json_of(const std::vector<BufferId>& ids) {
  Json json = Json::array();
  for (BufferId id : ids) json.push_back(id.value);
  return json;
}

// -1 for a constant, a number, or a list of several.
Json json_of(const Operand& operand) {
  return operand.from.size() > 1 ? json_of(operand.from) : Json(operand.buffer().value);
}

Json json_of(const std::vector<Operand>& operands) {
  Json json = Json::array();
  for (const Operand& operand : operands) json.push_back(json_of(operand));
  return json;
}

Json json_of(const Step& step) {
  Json region = Json::array();
  for (const IntervalExpr& interval : step.region) region.push_back(json_of(interval));
  Json entry = {{"op", step.op.value},
                {"method", name_of(step.method)},
                {"region", region},
                {"in", json_of(step.in)},
                {"out", step.out.value}};
  if (step.chunk) entry["chunk"] = json_of(*step.chunk);
  if (step.scratch.valid()) entry["scratch"] = step.scratch.value;
  if (step.passage.valid()) entry["passage"] = step.passage.value;
  if (step.kernel.valid()) entry["kernel"] = info(step.kernel).name;
  if (step.constants.valid()) {
    entry["constants"] = step.constants.value;
    entry["record"] = json_of(step.record);
  }
  if (step.recomputes) entry["recomputes"] = true;
  if (step.transfer != TransferPart::kNone) {
    entry["transfer"] = name_of(step.transfer);
    entry["token"] = step.token.value;
  }
  return entry;
}

Json json_of(const std::vector<Node>& nodes) {
  Json json = Json::array();
  for (const Node& node : nodes) {
    json.push_back(visit_node(
        node, [](const Step& step) { return json_of(step); },
        [](const Loop& loop) {
          return Json{{"loop", loop.id.value}, {"count", loop.count}, {"body", json_of(loop.body)}};
        }));
  }
  return json;
}

// --- from JSON: nlohmann's exceptions become one CompileError in plan_from_json ------------------

// json's own conversions cut what is too large.
template <class T>
T number(const Parsed& json) {
  const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<uint64_t>())
                    : json.is_number_integer() ? std::in_range<T>(json.get<int64_t>())
                                               : false;
  if (!fits)
    throw std::invalid_argument("not a whole number of its range: " +
                                (json.is_number() ? json.dump() : json.type_name()));
  return json.get<T>();
}

KernelId kernel_of(const Parsed& json) {
  const auto name = json.get<std::string>();
  const KernelId kernel = kernel_named(name);
  if (!kernel.valid()) throw std::invalid_argument("there is no kernel '" + name + "'");
  return kernel;
}

template <class T>
std::vector<T> numbers(const Parsed& json) {
  std::vector<T> result;
  for (const Parsed& element : json) result.push_back(number<T>(element));
  return result;
}

IndexExpr expr_from(const Parsed& json) {
  if (json.is_number()) return index(number<int64_t>(json));
  IndexExpr expr{.base = number<int64_t>(json.at("base")),
                 .terms = {},
                 .divisor = number<int64_t>(json.at("divisor"))};
  for (const Parsed& term : json.at("terms")) {
    expr.terms.push_back({LoopId{number<int32_t>(term.at(0))}, number<int64_t>(term.at(1))});
  }
  return expr;
}

IntervalExpr interval_from(const Parsed& json) {
  IntervalExpr interval{expr_from(json.at(0)), expr_from(json.at(1))};
  if (json.size() > 2) interval.within = {expr_from(json.at(2)), expr_from(json.at(3))};
  if (json.size() > 4) throw std::invalid_argument("an interval has more than four bounds");
  return interval;
}

// What a terminal can be shown of a text from the file.
std::string printable(const std::string& text) {
  std::string result = text.substr(0, 40);
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return result;
}

DType type_from(const std::string& text) {
  for (DType type : {DType::kBool, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32,
                     DType::kUInt32, DType::kInt64, DType::kUInt64, DType::kFloat32}) {
    if (text == name(type)) return type;
  }
  throw std::invalid_argument("unknown type '" + printable(text) + "'");
}

MemoryKind kind_from(const std::string& text) {
  for (MemoryKind kind : {MemoryKind::kTightlyCoupled, MemoryKind::kSram, MemoryKind::kExternalRam,
                          MemoryKind::kBlockStorage}) {
    if (text == name(kind)) return kind;
  }
  throw std::invalid_argument("unknown kind of memory '" + printable(text) + "'");
}

void memories_from(const Parsed& json, PlacedPlan& plan) {
  std::vector<ScheduleMemory>& memories = plan.schedule.memories;
  plan.placement.memories.resize(memories.size());
  for (const Parsed& entry : json) {
    ScheduleMemory memory{.name = entry.at("name"),
                          .kind = kind_from(entry.at("kind")),
                          .capacity_bytes = {},
                          .alignment = number<int64_t>(entry.at("alignment"))};
    if (entry.contains("capacity_bytes"))
      memory.capacity_bytes = number<int64_t>(entry.at("capacity_bytes"));
    if (entry.contains("wait_cycles")) memory.wait_cycles = entry.at("wait_cycles");
    if (entry.contains("storage")) {
      const Parsed& storage = entry.at("storage");
      memory.storage = {.write_bytes = number<int64_t>(storage.at("write_bytes")),
                        .erase_bytes = number<int64_t>(storage.at("erase_bytes")),
                        .most_in_flight = number<int>(storage.at("most_in_flight"))};
    }
    const MemoryPlacement placement{
        .peak_bytes = number<int64_t>(entry.at("peak_bytes")),
        .lower_bound_bytes = number<int64_t>(entry.at("lower_bound_bytes")),
        .size_bytes = number<int64_t>(entry.at("size_bytes")),
        .proven_optimal = entry.at("layout_proven_optimal")};
    if (memory.name == memories[kArena.index()].name) {
      memories[kArena.index()] = std::move(memory);
    } else {
      memories.push_back(std::move(memory));
      plan.placement.memories.push_back(placement);
    }
  }
}

MemoryId memory_from(const Parsed& buffer, const Schedule& schedule) {
  if (buffer.contains("place")) {  // version 2
    const std::string place = buffer.at("place");
    for (const Place known : {Place::kResident, Place::kUser, Place::kStreamed}) {
      if (place == name(known)) return memory_of(known);
    }
    throw std::invalid_argument("unknown place '" + printable(place) + "'");
  }
  if (!buffer.contains("memory")) return kArena;
  const std::string text = buffer.at("memory");
  const auto found = std::ranges::find(schedule.memories, text, &ScheduleMemory::name);
  if (found == schedule.memories.end())
    throw std::invalid_argument("unknown memory '" + printable(text) + "'");
  return {static_cast<int32_t>(found - schedule.memories.begin())};
}

Method method_from(const std::string& text) {
  for (Method method :
       {Method::kCompute, Method::kInPlace, Method::kAccumulate, Method::kFinalise}) {
    if (text == name_of(method)) return method;
  }
  throw std::invalid_argument("unknown method '" + printable(text) + "'");
}

TransferPart transfer_from(const std::string& text) {
  for (TransferPart part : {TransferPart::kBegin, TransferPart::kErase, TransferPart::kWait}) {
    if (text == name_of(part)) return part;
  }
  throw std::invalid_argument("unknown part of a transfer '" + printable(text) + "'");
}

std::vector<BufferId> ids_from(const Parsed& json) {
  std::vector<BufferId> ids;
  for (const Parsed& id : json) ids.push_back({number<int32_t>(id)});
  return ids;
}

std::vector<Operand> operands_from(const Parsed& json) {
  std::vector<Operand> operands;
  for (const Parsed& entry : json) {
    operands.push_back(entry.is_array() ? Operand(ids_from(entry))
                                        : Operand(BufferId{number<int32_t>(entry)}));
  }
  return operands;
}

Buffer buffer_from(const Parsed& json, const Schedule& schedule) {
  Buffer buffer{.tensor = {number<int32_t>(json.at("tensor"))},
                .type = type_from(json.at("type")),
                .extents = numbers<Shape::value_type>(json.at("extents")),
                .origin = {},
                .wrap = {},
                .order = numbers<int>(json.value("order", Parsed::array())),
                .sums = json.value("sums", false),
                .memory = memory_from(json, schedule),
                .chunk_bytes = number<int64_t>(json.value("chunk_bytes", Parsed(0)))};
  for (const Parsed& expr : json.at("origin")) buffer.origin.push_back(expr_from(expr));
  if (json.contains("packed")) {
    const Parsed& packed = json.at("packed");
    buffer.packed = {.op = {number<int32_t>(packed.at("op"))},
                     .kernel = kernel_of(packed.at("kernel")),
                     .channels = number<int64_t>(packed.at("channels"))};
  }
  if (json.contains("ring")) {
    buffer.wrap = Wrap{number<int>(json.at("ring").at("axis")),
                       number<int64_t>(json.at("ring").at("modulus"))};
  }
  return buffer;
}

Accumulator accumulator_from(const Parsed& json) {
  return {.tensor = {number<int32_t>(json.at("tensor"))},
          .type = type_from(json.at("type")),
          .scale = json.at("scale").get<float>(),
          .zero_point = number<int32_t>(json.at("zero_point")),
          .chunk = number<int64_t>(json.at("chunk"))};
}

constexpr int kMaxDepth = 64;
constexpr int kMostBrackets = 2 * kMaxDepth + 8;  // a loop is an object in the list of its body

std::vector<Node> nodes_from(const Parsed& json, int depth) {
  if (depth > kMaxDepth) throw std::invalid_argument("loops are nested too deeply");
  std::vector<Node> nodes;
  for (const Parsed& entry : json) {
    if (entry.contains("loop")) {
      nodes.push_back({Loop{{number<int32_t>(entry.at("loop"))},
                            number<int64_t>(entry.at("count")),
                            nodes_from(entry.at("body"), depth + 1)}});
      continue;
    }
    Step step{.op = {number<int32_t>(entry.at("op"))},
              .method = method_from(entry.at("method")),
              .region = {},
              .chunk = {},
              .in = operands_from(entry.at("in")),
              .out = {number<int32_t>(entry.at("out"))},
              .scratch = {number<int32_t>(entry.value("scratch", Parsed(-1)))},
              .passage = {number<int32_t>(entry.value("passage", Parsed(-1)))},
              .kernel = entry.contains("kernel") ? kernel_of(entry.at("kernel")) : KernelId{},
              .recomputes = entry.value("recomputes", false)};
    for (const Parsed& interval : entry.at("region"))
      step.region.push_back(interval_from(interval));
    if (entry.contains("chunk")) step.chunk = interval_from(entry.at("chunk"));
    if (entry.contains("constants")) {
      step.constants = {number<int32_t>(entry.at("constants"))};
      step.record = expr_from(entry.at("record"));
    }
    if (entry.contains("transfer")) {
      step.transfer = transfer_from(entry.at("transfer"));
      step.token = {number<int32_t>(entry.at("token"))};
    }
    nodes.push_back({step});
  }
  return nodes;
}

SavedPlan saved_from(const Parsed& json) {
  const int version = number<int>(json.at("thimble_plan"));
  if (version < kOldestVersion || version > kVersion)
    throw std::invalid_argument("unknown version");
  SavedPlan saved;
  const Parsed& model = json.at("model");
  saved.origin = {.model = model.at("name"),
                  .sha256 = model.at("sha256"),
                  .rewrite = model.at("rewrite"),
                  .keep_channels = version < 4 || model.at("keep_channels"),
                  .int8_io = model.at("int8_io")};
  saved.plan.planner = json.at("planner");
  for (const Parsed& accumulator : json.value("accumulators", Parsed::array()))
    saved.plan.accumulators.push_back(accumulator_from(accumulator));
  saved.plan.scale_source = json.value("scale_source", "");
  saved.plan.port_alignment = number<int64_t>(json.value("port_alignment", Parsed(1)));
  if (saved.plan.port_alignment < 1 || saved.plan.port_alignment > kMostPortAlignment ||
      !std::has_single_bit(static_cast<uint64_t>(saved.plan.port_alignment)))
    throw std::invalid_argument("port_alignment is no power of two up to 4096");
  Schedule& schedule = saved.plan.schedule;
  memories_from(json.value("memories", Parsed::array()), saved.plan);
  for (const Parsed& buffer : json.at("buffers")) {
    schedule.buffers.push_back(buffer_from(buffer, schedule));
    saved.plan.placement.addresses.push_back(number<int64_t>(buffer.at("address")));
  }
  schedule.inputs = ids_from(json.at("inputs"));
  schedule.outputs = ids_from(json.at("outputs"));
  for (const Parsed& state : json.value("states", Parsed::array())) {
    schedule.states.push_back({{number<int32_t>(state.at(0))}, {number<int32_t>(state.at(1))}});
  }
  for (const Parsed& share : json.at("shares")) {
    schedule.shares.push_back({{number<int32_t>(share.at(0))}, {number<int32_t>(share.at(1))}});
  }
  schedule.loop_count = number<int32_t>(json.at("loop_count"));
  schedule.token_count = number<int32_t>(json.value("token_count", Parsed(0)));
  schedule.nodes = nodes_from(json.at("nodes"), 0);
  saved.plan.placement.memories[kArena.index()] = {
      .peak_bytes = number<int64_t>(json.at("peak_bytes")),
      .lower_bound_bytes = number<int64_t>(json.at("lower_bound_bytes")),
      .size_bytes = number<int64_t>(json.at("arena_bytes")),
      .proven_optimal = json.at("layout_proven_optimal")};
  return saved;
}

}  // namespace

std::string to_json(const PlacedPlan& plan, const PlanOrigin& origin) {
  Json buffers = Json::array();
  for (size_t b = 0; b < plan.schedule.buffers.size(); ++b) {
    buffers.push_back(
        json_of(plan.schedule, plan.schedule.buffers[b], plan.placement.addresses[b]));
  }
  Json accumulators = Json::array();
  for (const Accumulator& accumulator : plan.accumulators)
    accumulators.push_back(json_of(accumulator));
  Json shares = Json::array();
  for (const Share& share : plan.schedule.shares)
    shares.push_back({share.out.value, share.in.value});
  const MemoryPlacement& arena = plan.placement.arena();
  Json json = {{"thimble_plan", kVersion},
               {"model",
                {{"name", origin.model},
                 {"sha256", origin.sha256},
                 {"rewrite", origin.rewrite},
                 {"keep_channels", origin.keep_channels},
                 {"int8_io", origin.int8_io}}},
               {"planner", plan.planner},
               {"accumulators", accumulators},
               {"scale_source", plan.scale_source},
               {"peak_bytes", arena.peak_bytes},
               {"lower_bound_bytes", arena.lower_bound_bytes},
               {"arena_bytes", arena.size_bytes},
               {"layout_proven_optimal", arena.proven_optimal},
               {"loop_count", plan.schedule.loop_count},
               {"inputs", json_of(plan.schedule.inputs)},
               {"outputs", json_of(plan.schedule.outputs)},
               {"shares", shares},
               {"buffers", buffers},
               {"nodes", json_of(plan.schedule.nodes)}};
  if (plan.port_alignment != 1) json["port_alignment"] = plan.port_alignment;
  if (plan.schedule.token_count > 0) json["token_count"] = plan.schedule.token_count;
  for (const StateBuffers& state : plan.schedule.states)
    json["states"].push_back({state.in.value, state.out.value});
  if (Json memories = memories_json(plan); !memories.empty())
    json["memories"] = std::move(memories);
  return json.dump(1) + "\n";
}

SavedPlan plan_from_json(const std::string& text, const std::string& where) {
  try {
    return saved_from(parse_json(text, {.depth = kMostBrackets}));
  } catch (const nlohmann::json::exception& error) {
    throw CompileError(where, std::string("not a saved plan of thimble: ") + error.what());
  } catch (const std::invalid_argument& error) {
    throw CompileError(where, std::string("not a saved plan of thimble: ") + error.what());
  }
}

SavedPlan read_plan(const std::string& file) {
  const Bytes bytes = read_file(file, kMostPlanBytes);
  return plan_from_json(std::string(bytes.begin(), bytes.end()), file);
}

}  // namespace thimble
