// SPDX-License-Identifier: Apache-2.0
// The report, and what the views ask of it.

const report = JSON.parse(document.getElementById('report').textContent);

/** Steps of a plan as written: `compile` has a list, `plan` a tree of loops. */
function stepsOf(plan) {
  if (plan.steps) return plan.steps;
  const steps = [];
  const visit = (nodes) => {
    for (const node of nodes) {
      if (node.body) visit(node.body);
      else steps.push(node);
    }
  };
  visit(plan.schedule ?? []);
  return steps;
}

/** What the memory map needs of a plan: this one's or the earlier one's. */
function drawnPlan(plan, limit) {
  const steps = stepsOf(plan);
  const columns = plan.buffers.reduce(
    (most, b) => Math.max(most, b.end_step, b.begin_step + 1),
    Math.max(1, steps.length),
  );
  const mostLive = steps.reduce((most, step) => Math.max(most, step.live_bytes), 0);
  const buffers = plan.buffers.filter((b) => b.offset_bytes !== null);
  const memories = plan.memories?.map((m) => [m.name, m.size_bytes]) ?? [
    ['arena', plan.arena_bytes],
  ];
  return {
    planner: plan.planner,
    steps,
    columns,
    buffers,
    memories,
    loops: plan.loops,
    limit,
    mostLive,
    peak: plan.peak_bytes,
    arena: plan.arena_bytes,
  };
}

/** Time of a number of instructions, as the report's estimate has it; null without a clock. */
function milliseconds(instructions) {
  const hz = report.estimate?.clock_hz;
  return hz && isKnown(instructions) ? (1e3 * instructions) / hz : null;
}
const timeText = (instructions) => {
  const ms = milliseconds(instructions);
  return ms === null ? `${countText(instructions)} instructions` : msText(ms);
};

/** The layer that the user points at, in all views: a position in report.layers, or -1. */
const selection = {
  layer: -1,
  listeners: [],
  select(layer) {
    this.layer = layer === this.layer ? -1 : layer;
    for (const listener of this.listeners) listener(this.layer);
  },
};

const layerName = (layer) => stepName(layer);
