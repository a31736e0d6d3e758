// SPDX-License-Identifier: Apache-2.0
// One plan's memory map under the mouse and the keys.

class MapView extends DrawnMap {
  constructor(...all) {
    super(...all);
    this.listen();
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY * 0.0018), this.placeAt(event.offsetX));
      },
      { passive: false },
    );
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, begin: this.view.begin, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) return this.hover(event);
      const by = ((drag.x - event.offsetX) / this.width) * (this.view.end - this.view.begin);
      drag.moved ||= Math.abs(drag.x - event.offsetX) > 3;
      if (drag.moved) this.move(drag.begin + by - this.view.begin);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (drag && !drag.moved) this.click(event);
      drag = null;
    });
    canvas.addEventListener('pointerleave', () => {
      this.cursor = -1;
      tip.hide();
      this.again();
    });
    canvas.addEventListener('dblclick', (event) => this.zoom(0.4, this.placeAt(event.offsetX)));
    canvas.addEventListener('keydown', (event) => this.pressed(event));
  }

  pressed(event) {
    const span = this.view.end - this.view.begin;
    const keys = {
      ArrowLeft: () => this.move(-0.2 * span),
      ArrowRight: () => this.move(0.2 * span),
      '+': () => this.zoom(0.6),
      '=': () => this.zoom(0.6),
      '-': () => this.zoom(1 / 0.6),
      0: () => this.zoom(Infinity),
      ',': () => this.step(-1),
      '.': () => this.step(1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  step(by) {
    this.cursor = Math.max(0, Math.min(this.drawn.steps.length - 1, this.cursor + by));
    const box = this.canvas.getBoundingClientRect();
    if (this.xOf(this.cursor) < kMap.left || this.xOf(this.cursor) > kMap.left + this.width)
      this.move(this.axis.place(this.cursor) - (this.view.begin + this.view.end) / 2);
    tip.show(
      box.left + Math.min(Math.max(this.xOf(this.cursor), 0), box.width),
      box.top + kMap.curve,
      this.stepLines(this.cursor),
    );
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
    this.cursor =
      x < kMap.left || x > kMap.left + this.width
        ? -1
        : Math.min(this.drawn.steps.length - 1, this.axis.step(this.placeAt(x)));
    this.again();
    if (this.cursor < 0) return tip.hide();
    const loop = this.loopAt(x, y),
      buffer = y > this.top ? this.bufferAt(x, y) : undefined;
    const lines =
      loop >= 0
        ? this.loopLines(this.drawn.loops[loop], loop)
        : buffer
          ? this.bufferLines(buffer)
          : this.stepLines(this.cursor);
    return tip.show(event.clientX, event.clientY, lines);
  }

  stepLines(number) {
    const step = this.drawn.steps[number];
    if (!step) return ['no steps'];
    const time = isKnown(step.estimated_instructions)
      ? `${timeText(step.estimated_instructions)} in an inference`
      : '';
    return [
      stepName(step),
      `step ${number}: ${bytesText(step.live_bytes)} (${grouped(step.live_bytes)} B) live`,
      time,
      step.live_bytes === this.drawn.mostLive ? 'most bytes live here: the peak' : '',
    ].filter(Boolean);
  }

  loopLines(loop, number) {
    const instructions = this.drawn.steps
      .slice(loop.begin_step, loop.end_step)
      .reduce((sum, s) => sum + (s.estimated_instructions ?? 0), 0);
    return [
      `Loop of ${grouped(loop.count)} iterations`,
      `steps ${loop.begin_step} to ${loop.end_step - 1}, each once per iteration`,
      instructions ? `${timeText(instructions)} in all` : '',
      this.folded.has(number) ? 'click to unfold' : 'click to fold into one column',
    ].filter(Boolean);
  }

  bufferLines(buffer) {
    const name = (b) => `'${b.name}'`;
    const lines = [
      `${buffer.name}`,
      `${kindWords[buffer.kind]}, ${buffer.type} ${shapeText(buffer.extents)}`,
      `${grouped(buffer.size_bytes)} B at addresses ${grouped(buffer.offset_bytes)} to ${grouped(buffer.offset_bytes + buffer.size_bytes)}`,
      `live from step ${buffer.begin_step} to ${Math.max(buffer.begin_step, buffer.end_step - 1)}`,
    ];
    for (const { buffer: other, bytes, over } of this.overlaps(buffer)) {
      const under = other.may_lie_over.includes(buffer.id);
      if (over)
        lines.push(
          `written over ${grouped(bytes)} B of ${name(other)} that have been read: checked by the verifier, no error`,
        );
      else if (under)
        lines.push(
          `${grouped(bytes)} B are taken over by ${name(other)} as soon as they have been read`,
        );
    }
    return lines;
  }
}
