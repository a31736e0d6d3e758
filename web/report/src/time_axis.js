// SPDX-License-Identifier: Apache-2.0
// Steps along a line from 0 to 1: equal widths, or to the scale of their time; folded loops in one column.

class TimeAxis {
  /** drawn: as drawnPlan() gives it; scale: 'steps' or 'time'; folded: numbers of loops in drawn.loops. */
  constructor(drawn, scale, folded) {
    const time = drawn.steps.map((step) => step.estimated_instructions ?? 0);
    const total = time.reduce((sum, t) => sum + t, 0);
    this.toTime = scale === 'time' && total > 0;
    const weights = new Float64Array(drawn.columns);
    for (let k = 0; k < weights.length; ++k)
      weights[k] = this.toTime ? Math.max(time[k] ?? 0, total * 2e-5) : 1;
    this.folded = new Set();
    for (const number of folded) {
      const loop = drawn.loops[number],
        length = loop.end_step - loop.begin_step;
      this.folded.add(number);
      if (!this.toTime) weights.fill(1 / length, loop.begin_step, loop.end_step);
    }
    this.at = new Float64Array(weights.length + 1);
    for (let k = 0; k < weights.length; ++k) this.at[k + 1] = this.at[k] + weights[k];
    const sum = this.at[weights.length] || 1;
    for (let k = 0; k < this.at.length; ++k) this.at[k] /= sum;
  }
  /** Of a step's begin. */
  place(step) {
    return this.at[Math.min(step, this.at.length - 1)];
  }
  /** The step at a place. */
  step(place) {
    let low = 0,
      high = this.at.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
