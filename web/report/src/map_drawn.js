// SPDX-License-Identifier: Apache-2.0
// One plan's memory map, drawn: live bytes above, addresses below, along the same axis of time.

class DrawnMap extends MapPlaces {
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
    const rough = this.most / 6,
      power = 2 ** Math.floor(Math.log2(Math.max(1, rough)));
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
    return {
      x,
      y: kMap.curve + kMap.gap - 6 + loop.depth * kMap.loops,
      width: this.xOf(loop.end_step) - x,
      height: kMap.loops - 2,
    };
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
      context.fillText(
        fitted(context, text, band.x + band.width - left - 8),
        left + 4,
        band.y + band.height / 2 + 1,
      );
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
      context.fillRect(
        this.xOf(step),
        this.top,
        Math.max(2, this.xOf(step + 1) - this.xOf(step)),
        kMap.plot,
      );
    }
    context.globalAlpha = 1;
  }

  /** Where bytes of an input that are no longer needed are written over. */
  hatch(context, a, b) {
    const x = Math.max(a.x, b.x),
      y = Math.max(a.y, b.y);
    const width = Math.min(a.x + a.width, b.x + b.width) - x,
      height = Math.min(a.y + a.height, b.y + b.height) - y;
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
    const left = Math.max(box.x, kMap.left),
      right = Math.min(box.x + box.width, kMap.left + this.width);
    if (right - left < 34 || box.height < 13) return;
    const two = box.height >= 30;
    const size = bytesText(buffer.size_bytes);
    const name = fittedName(context, buffer.name, two ? '' : ` · ${size}`, right - left - 6);
    if (!name || (buffer.kind === 'scratch' && name !== 'scratch' && !name.startsWith('scratch ·')))
      return;
    const lines = two && context.measureText(size).width < right - left - 8 ? [name, size] : [name];
    const middle = (left + right) / 2,
      y = box.y + box.height / 2;
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) / 2 + 2,
      height = 8 * lines.length;
    const place = {
      left: middle - width,
      right: middle + width,
      top: y - height,
      bottom: y + height,
    };
    const meets = (other) =>
      place.left < other.right &&
      other.left < place.right &&
      place.top < other.bottom &&
      other.top < place.bottom;
    const covered = this.shown.some(
      (other) =>
        other !== buffer &&
        other.begin_step >= buffer.begin_step &&
        meetsBox(place, this.box(other)) &&
        (other.id > buffer.id || other.begin_step > buffer.begin_step),
    );
    if (covered || this.labels.some(meets)) return;
    this.labels.push(place);
    lines.forEach((line, k) =>
      context.fillText(line, middle, y + (k - (lines.length - 1) / 2) * 15),
    );
  }

  drawCurve(context) {
    const { steps } = this.drawn;
    const first = this.axis.step(this.view.begin),
      last = Math.min(steps.length - 1, this.axis.step(this.view.end));
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
    context.strokeRect(
      this.xOf(this.cursor),
      4,
      Math.max(1, this.xOf(this.cursor + 1) - this.xOf(this.cursor)),
      this.top + kMap.plot - 4,
    );
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
      const span = context.measureText(text).width,
        at = y + (below ? 9 : -8);
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
    line(
      this.curveY(this.drawn.peak),
      'accent',
      `peak ${bytesText(this.drawn.peak)}`,
      this.curveY(this.drawn.peak) < 30,
    );
    if (isKnown(this.drawn.limit) && this.drawn.limit <= this.most) {
      line(
        this.y(this.drawn.limit),
        'bad',
        `SRAM limit ${bytesText(this.drawn.limit)}`,
        this.y(this.drawn.limit) < this.top + 16,
      );
      line(this.curveY(this.drawn.limit), 'bad', '', false);
    }
  }

  drawSteps(context) {
    const y = this.top + kMap.plot;
    context.fillStyle = theme.colour('muted');
    context.textAlign = 'center';
    let free = kMap.left;
    const { steps } = this.drawn;
    for (
      let k = this.axis.step(Math.max(0, this.view.begin));
      k < steps.length && this.xOf(k) < kMap.left + this.width;
      ++k
    ) {
      const left = Math.max(this.xOf(k), kMap.left),
        right = Math.min(this.xOf(k + 1), kMap.left + this.width);
      const text = stepName(steps[k]),
        middle = (left + right) / 2,
        width = context.measureText(text).width;
      if (middle - width / 2 < free || middle + width / 2 > kMap.left + this.width) continue;
      context.fillText(text, middle, y + 12);
      context.fillRect(middle, y + 1, 1, 4);
      free = middle + width / 2 + 12;
    }
    context.textAlign = 'center';
    context.fillText(
      this.axis.toTime
        ? 'time, to the scale of estimated instructions (all iterations of a loop)'
        : 'steps of the plan, each as wide (a loop is shown once)',
      kMap.left + this.width / 2,
      y + 30,
    );
  }
}
