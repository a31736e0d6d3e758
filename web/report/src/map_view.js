// SPDX-License-Identifier: Apache-2.0
// One plan's memory map: live bytes above, addresses below, along the same axis of time.

const kMap = { left: 84, right: 14, curve: 86, gap: 26, plot: 330, loops: 18, bottom: 40 };

class MapView {
  /** view: {begin, end, scale, memory, most, folded}, shared by the maps on the page; changed(): after it was changed. */
  constructor(drawn, view, changed, name) {
    Object.assign(this, { drawn, view, changed, cursor: -1 });
    this.depth = Math.max(0, ...drawn.loops.map((loop) => loop.depth + 1));
    this.folded = new Set();
    this.top = kMap.curve + kMap.gap + this.depth * kMap.loops;
    const height = this.top + kMap.plot + kMap.bottom;
    Object.assign(this, canvasBox(`Memory map, ${name}: arrows move, plus and minus zoom, 0 shows all, comma and full stop move a step`, height,
      (context, width) => this.draw(context, width)));
    this.canvas.view = this;
    this.relay();
    this.listen();
  }

  relay() {
    this.axis = new TimeAxis(this.drawn, this.view.scale, this.folded);
    this.memory = this.drawn.memories.find(([name]) => name === this.view.memory) ?? this.drawn.memories[0];
    this.shown = this.drawn.buffers.filter((b) => b.memory === this.memory[0]).sort((a, b) => a.begin_step - b.begin_step || a.id - b.id);
    this.byId = new Map(this.shown.map((b) => [b.id, b]));
    this.again();
  }

  get width() { return Math.max(1, this.canvas.clientWidth - kMap.left - kMap.right); }
  x(place) { return kMap.left + this.width * (place - this.view.begin) / (this.view.end - this.view.begin); }
  xOf(step) { return this.x(this.axis.place(step)); }
  placeAt(x) { return this.view.begin + (x - kMap.left) / this.width * (this.view.end - this.view.begin); }
  get most() { return Math.max(1, this.view.memory === 'arena' ? this.view.most : this.memory[1]); }
  y(address) { return this.top + kMap.plot * (1 - address / this.most); }
  curveY(bytes) { return 8 + (kMap.curve - 12) * (1 - bytes / this.most); }

  box(buffer) {
    const x = this.xOf(buffer.begin_step), right = this.xOf(Math.max(buffer.end_step, buffer.begin_step + 1));
    const y = this.y(buffer.offset_bytes + buffer.size_bytes);
    return { x, y, width: right - x, height: this.y(buffer.offset_bytes) - y };
  }

  /** The inputs that a buffer lies over while both live: [{buffer, bytes}]. */
  overlaps(buffer) {
    const found = [];
    for (const other of this.shown) {
      if (other === buffer || other.begin_step >= buffer.end_step || buffer.begin_step >= other.end_step) continue;
      const begin = Math.max(buffer.offset_bytes, other.offset_bytes);
      const end = Math.min(buffer.offset_bytes + buffer.size_bytes, other.offset_bytes + other.size_bytes);
      if (begin < end) found.push({ buffer: other, bytes: end - begin, over: buffer.may_lie_over.includes(other.id) });
    }
    return found;
  }

  draw(context, width) {
    this.labels = [];
    context.clearRect(0, 0, width, this.top + kMap.plot + kMap.bottom);
    context.textBaseline = 'middle';
    this.drawGrid(context, width);
    context.save();
    context.beginPath();
    context.rect(kMap.left, 0, this.width, this.top + kMap.plot + 1);
    context.clip();
    this.drawLoops(context);
    this.drawBuffers(context);
    this.drawCurve(context);
    this.drawCursor(context);
    context.restore();
    this.drawLines(context, width);
    this.drawSteps(context);
    this.canvas.dataset.view = `${this.view.begin.toFixed(6)} ${this.view.end.toFixed(6)}`;
    this.canvas.dataset.folded = [...this.folded].join(' ');
    this.canvas.dataset.scale = this.axis.toTime ? 'time' : 'steps';
  }

  ticks() {
    const rough = this.most / 6, power = 2 ** Math.floor(Math.log2(Math.max(1, rough)));
    const step = power * 2 < rough * 1.3 ? power * 2 : power;
    return Array.from({ length: Math.floor(this.most / step) + 1 }, (_, k) => k * step);
  }

  drawGrid(context, width) {
    context.strokeStyle = theme.colour('line');
    context.fillStyle = theme.colour('muted');
    context.textAlign = 'right';
    for (const tick of this.ticks()) {
      const y = Math.round(this.y(tick)) + 0.5;
      context.beginPath();
      context.moveTo(kMap.left, y);
      context.lineTo(width - kMap.right, y);
      context.stroke();
      context.fillText(bytesText(tick), kMap.left - 6, y);
    }
    context.fillText('live bytes', kMap.left - 6, 14);
    context.fillText('address', kMap.left - 6, this.top - 12);
    context.strokeRect(kMap.left + 0.5, 4.5, this.width - 1, kMap.curve - 4);
    context.strokeRect(kMap.left + 0.5, this.top + 0.5, this.width - 1, kMap.plot);
  }

  loopBand(loop) {
    const x = this.xOf(loop.begin_step);
    return { x, y: kMap.curve + kMap.gap - 6 + loop.depth * kMap.loops, width: this.xOf(loop.end_step) - x, height: kMap.loops - 2 };
  }

  drawLoops(context) {
    context.textAlign = 'left';
    this.drawn.loops.forEach((loop, number) => {
      const band = this.loopBand(loop);
      if (band.x > kMap.left + this.width || band.x + band.width < kMap.left) return;
      context.fillStyle = theme.colour('accent-soft');
      context.globalAlpha = 0.35;
      context.fillRect(band.x, this.top, band.width, kMap.plot);
      context.globalAlpha = 1;
      context.fillRect(band.x, band.y, Math.max(1, band.width - 1), band.height);
      context.strokeStyle = theme.colour('accent');
      context.strokeRect(band.x + 0.5, band.y + 0.5, Math.max(1, band.width - 1), band.height);
      context.fillStyle = theme.colour('text');
      const text = `${this.folded.has(number) ? '▸' : '▾'} loop, ${grouped(loop.count)} times`;
      const left = Math.max(band.x, kMap.left);
      context.fillText(fitted(context, text, band.x + band.width - left - 8), left + 4, band.y + band.height / 2 + 1);
    });
  }

  drawBuffers(context) {
    const chosen = selection.layer >= 0 ? new Set(report.layers[selection.layer].steps) : null;
    for (const buffer of this.shown) {
      const box = this.box(buffer);
      if (box.x > kMap.left + this.width || box.x + box.width < kMap.left) continue;
      context.fillStyle = theme.colour(buffer.kind);
      context.fillRect(box.x, box.y, Math.max(box.width, 0.7), Math.max(box.height, 0.7));
      if (box.width > 2 && box.height > 2) {
        context.strokeStyle = theme.colour('muted');
        context.lineWidth = 0.6;
        context.strokeRect(box.x, box.y, box.width, box.height);
        context.lineWidth = 1;
      }
      for (const { buffer: other, over } of box.width > 3 ? this.overlaps(buffer) : []) {
        if (over) this.hatch(context, box, this.box(other));
      }
    }
    if (chosen && this.isOurs) this.drawChosen(context, chosen);
    context.textAlign = 'center';
    context.fillStyle = theme.colour('text');
    for (const buffer of this.shown) this.label(context, buffer);
  }

  drawChosen(context, steps) {
    context.fillStyle = theme.colour('accent');
    for (const step of steps) {
      context.globalAlpha = 0.28;
      context.fillRect(this.xOf(step), this.top, Math.max(2, this.xOf(step + 1) - this.xOf(step)), kMap.plot);
    }
    context.globalAlpha = 1;
  }

  /** Where bytes of an input that are no longer needed are written over. */
  hatch(context, a, b) {
    const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
    const width = Math.min(a.x + a.width, b.x + b.width) - x, height = Math.min(a.y + a.height, b.y + b.height) - y;
    if (width < 3 || height < 3) return;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = theme.colour('muted');
    context.beginPath();
    for (let at = x - height; at < x + width; at += 6) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
    context.restore();
  }

  /** A name and its bytes, where they fit and lie over no other label. */
  label(context, buffer) {
    const box = this.box(buffer);
    const left = Math.max(box.x, kMap.left), right = Math.min(box.x + box.width, kMap.left + this.width);
    if (right - left < 34 || box.height < 13) return;
    const two = box.height >= 30;
    const size = bytesText(buffer.size_bytes);
    const name = fittedName(context, buffer.name, two ? '' : ` · ${size}`, right - left - 6);
    if (!name || (buffer.kind === 'scratch' && name !== 'scratch' && !name.startsWith('scratch ·'))) return;
    const lines = two && context.measureText(size).width < right - left - 8 ? [name, size] : [name];
    const middle = (left + right) / 2, y = box.y + box.height / 2;
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) / 2 + 2, height = 8 * lines.length;
    const place = { left: middle - width, right: middle + width, top: y - height, bottom: y + height };
    const meets = (other) => place.left < other.right && other.left < place.right && place.top < other.bottom && other.top < place.bottom;
    const covered = this.shown.some((other) => other !== buffer && other.begin_step >= buffer.begin_step && meetsBox(place, this.box(other)) && (other.id > buffer.id || other.begin_step > buffer.begin_step));
    if (covered || this.labels.some(meets)) return;
    this.labels.push(place);
    lines.forEach((line, k) => context.fillText(line, middle, y + (k - (lines.length - 1) / 2) * 15));
  }

  drawCurve(context) {
    const { steps } = this.drawn;
    const first = this.axis.step(this.view.begin), last = Math.min(steps.length - 1, this.axis.step(this.view.end));
    context.beginPath();
    context.moveTo(this.xOf(first), this.curveY(0));
    for (let k = first; k <= last; ++k) {
      context.lineTo(this.xOf(k), this.curveY(steps[k].live_bytes));
      context.lineTo(this.xOf(k + 1), this.curveY(steps[k].live_bytes));
    }
    context.lineTo(this.xOf(last + 1), this.curveY(0));
    context.fillStyle = theme.colour('accent-soft');
    context.fill();
    context.strokeStyle = theme.colour('accent');
    context.stroke();
  }

  drawCursor(context) {
    if (this.cursor < 0) return;
    context.strokeStyle = theme.colour('text');
    context.globalAlpha = 0.45;
    context.strokeRect(this.xOf(this.cursor), 4, Math.max(1, this.xOf(this.cursor + 1) - this.xOf(this.cursor)), this.top + kMap.plot - 4);
    context.globalAlpha = 1;
  }

  drawLines(context, width) {
    const line = (y, colour, text, below) => {
      context.strokeStyle = context.fillStyle = theme.colour(colour);
      context.setLineDash([6, 4]);
      context.beginPath();
      context.moveTo(kMap.left, Math.round(y) + 0.5);
      context.lineTo(width - kMap.right, Math.round(y) + 0.5);
      context.stroke();
      context.setLineDash([]);
      if (!text) return;
      context.textAlign = 'right';
      const span = context.measureText(text).width, at = y + (below ? 9 : -8);
      context.fillStyle = theme.colour('surface');
      context.globalAlpha = 0.8;
      context.fillRect(width - kMap.right - span - 7, at - 8, span + 6, 15);
      context.globalAlpha = 1;
      context.fillStyle = theme.colour(colour);
      context.fillText(text, width - kMap.right - 4, at);
    };
    const end = this.memory[1];
    line(this.y(end), 'accent', `${this.memory[0]} ${bytesText(end)}`, true);
    if (this.memory[0] !== 'arena') return;
    line(this.curveY(this.drawn.peak), 'accent', `peak ${bytesText(this.drawn.peak)}`, this.curveY(this.drawn.peak) < 30);
    if (isKnown(this.drawn.limit) && this.drawn.limit <= this.most) {
      line(this.y(this.drawn.limit), 'bad', `SRAM limit ${bytesText(this.drawn.limit)}`, this.y(this.drawn.limit) < this.top + 16);
      line(this.curveY(this.drawn.limit), 'bad', '', false);
    }
  }

  drawSteps(context) {
    const y = this.top + kMap.plot;
    context.fillStyle = theme.colour('muted');
    context.textAlign = 'center';
    let free = kMap.left;
    const { steps } = this.drawn;
    for (let k = this.axis.step(Math.max(0, this.view.begin)); k < steps.length && this.xOf(k) < kMap.left + this.width; ++k) {
      const left = Math.max(this.xOf(k), kMap.left), right = Math.min(this.xOf(k + 1), kMap.left + this.width);
      const text = stepName(steps[k]), middle = (left + right) / 2, width = context.measureText(text).width;
      if (middle - width / 2 < free || middle + width / 2 > kMap.left + this.width) continue;
      context.fillText(text, middle, y + 12);
      context.fillRect(middle, y + 1, 1, 4);
      free = middle + width / 2 + 12;
    }
    context.textAlign = 'center';
    context.fillText(this.axis.toTime ? 'time, to the scale of estimated instructions (all iterations of a loop)'
      : 'steps of the plan, each as wide (a loop is shown once)', kMap.left + this.width / 2, y + 30);
  }

  // Input

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0018), this.placeAt(event.offsetX));
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, begin: this.view.begin, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) return this.hover(event);
      const by = (drag.x - event.offsetX) / this.width * (this.view.end - this.view.begin);
      drag.moved ||= Math.abs(drag.x - event.offsetX) > 3;
      if (drag.moved) this.move(drag.begin + by - this.view.begin);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (drag && !drag.moved) this.click(event);
      drag = null;
    });
    canvas.addEventListener('pointerleave', () => { this.cursor = -1; tip.hide(); this.again(); });
    canvas.addEventListener('dblclick', (event) => this.zoom(0.4, this.placeAt(event.offsetX)));
    canvas.addEventListener('keydown', (event) => this.pressed(event));
  }

  pressed(event) {
    const span = this.view.end - this.view.begin;
    const keys = { ArrowLeft: () => this.move(-0.2 * span), ArrowRight: () => this.move(0.2 * span), '+': () => this.zoom(0.6), '=': () => this.zoom(0.6),
      '-': () => this.zoom(1 / 0.6), 0: () => this.zoom(Infinity), ',': () => this.step(-1), '.': () => this.step(1) };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  step(by) {
    this.cursor = Math.max(0, Math.min(this.drawn.steps.length - 1, this.cursor + by));
    const box = this.canvas.getBoundingClientRect();
    if (this.xOf(this.cursor) < kMap.left || this.xOf(this.cursor) > kMap.left + this.width) this.move(this.axis.place(this.cursor) - (this.view.begin + this.view.end) / 2);
    tip.show(box.left + Math.min(Math.max(this.xOf(this.cursor), 0), box.width), box.top + kMap.curve, this.stepLines(this.cursor));
    this.again();
  }

  zoom(factor, about = (this.view.begin + this.view.end) / 2) {
    const least = Math.min(1, 2 / this.drawn.columns / 40);
    const span = Math.min(1, Math.max(least, (this.view.end - this.view.begin) * factor));
    const part = (about - this.view.begin) / (this.view.end - this.view.begin);
    this.view.begin = Math.max(0, Math.min(1 - span, about - part * span));
    this.view.end = this.view.begin + span;
    this.changed();
  }

  move(by) {
    const span = this.view.end - this.view.begin;
    this.view.begin = Math.max(0, Math.min(1 - span, this.view.begin + by));
    this.view.end = this.view.begin + span;
    this.changed();
  }

  loopAt(x, y) {
    const at = (loop) => {
      const band = this.loopBand(loop);
      return x >= band.x && x <= band.x + band.width && y >= band.y && y <= band.y + band.height;
    };
    return this.drawn.loops.findIndex(at);
  }

  bufferAt(x, y) {
    const meets = (b) => {
      const box = this.box(b);
      return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
    };
    return this.shown.findLast(meets);
  }

  fold(number, folded) {
    if (folded) this.folded.add(number);
    else this.folded.delete(number);
    this.relay();
  }

  click(event) {
    const loop = this.loopAt(event.offsetX, event.offsetY);
    if (loop >= 0) return this.fold(loop, !this.folded.has(loop));
    if (!this.isOurs || event.offsetX < kMap.left) return undefined;
    const step = this.axis.step(this.placeAt(event.offsetX));
    const layer = report.layers.findIndex((l) => l.steps.includes(step));
    if (layer >= 0) selection.select(layer);
    return undefined;
  }

  hover(event) {
    const { offsetX: x, offsetY: y } = event;
    this.cursor = x < kMap.left || x > kMap.left + this.width ? -1 : Math.min(this.drawn.steps.length - 1, this.axis.step(this.placeAt(x)));
    this.again();
    if (this.cursor < 0) return tip.hide();
    const loop = this.loopAt(x, y), buffer = y > this.top ? this.bufferAt(x, y) : undefined;
    const lines = loop >= 0 ? this.loopLines(this.drawn.loops[loop], loop) : buffer ? this.bufferLines(buffer) : this.stepLines(this.cursor);
    return tip.show(event.clientX, event.clientY, lines);
  }

  stepLines(number) {
    const step = this.drawn.steps[number];
    if (!step) return ['no steps'];
    const time = isKnown(step.estimated_instructions) ? `${timeText(step.estimated_instructions)} in an inference` : '';
    return [stepName(step), `step ${number}: ${bytesText(step.live_bytes)} (${grouped(step.live_bytes)} B) live`, time,
      step.live_bytes === this.drawn.mostLive ? 'most bytes live here: the peak' : ''].filter(Boolean);
  }

  loopLines(loop, number) {
    const instructions = this.drawn.steps.slice(loop.begin_step, loop.end_step).reduce((sum, s) => sum + (s.estimated_instructions ?? 0), 0);
    return [`Loop of ${grouped(loop.count)} iterations`, `steps ${loop.begin_step} to ${loop.end_step - 1}, each once per iteration`,
      instructions ? `${timeText(instructions)} in all` : '', this.folded.has(number) ? 'click to unfold' : 'click to fold into one column'].filter(Boolean);
  }

  bufferLines(buffer) {
    const name = (b) => `'${b.name}'`;
    const lines = [`${buffer.name}`, `${kindWords[buffer.kind]}, ${buffer.type} ${shapeText(buffer.extents)}`,
      `${grouped(buffer.size_bytes)} B at addresses ${grouped(buffer.offset_bytes)} to ${grouped(buffer.offset_bytes + buffer.size_bytes)}`,
      `live from step ${buffer.begin_step} to ${Math.max(buffer.begin_step, buffer.end_step - 1)}`];
    for (const { buffer: other, bytes, over } of this.overlaps(buffer)) {
      const under = other.may_lie_over.includes(buffer.id);
      if (over) lines.push(`written over ${grouped(bytes)} B of ${name(other)} that have been read: checked by the verifier, no error`);
      else if (under) lines.push(`${grouped(bytes)} B are taken over by ${name(other)} as soon as they have been read`);
    }
    return lines;
  }
}

const meetsBox = (place, box) => place.left < box.x + box.width && box.x < place.right && place.top < box.y + box.height && box.y < place.bottom;

const kindWords = {
  whole: 'whole tensor', block: 'block: a part of a tensor, freed by itself', slice: 'slice: a part of a tensor, new in each iteration',
  ring: 'ring: the rows or pixels that are still needed', accumulators: 'accumulators: sums that are not complete yet',
  scratch: 'scratch of a kernel', constants: 'constants brought from storage',
};
