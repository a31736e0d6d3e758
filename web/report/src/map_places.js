// SPDX-License-Identifier: Apache-2.0
// One plan's memory map: where steps, addresses and buffers lie in the picture.

const kMap = { left: 84, right: 14, curve: 86, gap: 26, plot: 330, loops: 18, bottom: 40 };

class MapPlaces {
  /** view: {begin, end, scale, memory, most, folded}, shared by the maps on the page; changed(): after it was changed. */
  constructor(drawn, view, changed, name) {
    Object.assign(this, { drawn, view, changed, cursor: -1 });
    this.depth = Math.max(0, ...drawn.loops.map((loop) => loop.depth + 1));
    this.folded = new Set();
    this.top = kMap.curve + kMap.gap + this.depth * kMap.loops;
    const height = this.top + kMap.plot + kMap.bottom;
    Object.assign(
      this,
      canvasBox(
        `Memory map, ${name}: arrows move, plus and minus zoom, 0 shows all, comma and full stop move a step`,
        height,
        (context, width) => this.draw(context, width),
      ),
    );
    this.canvas.view = this;
    this.relay();
  }

  relay() {
    this.axis = new TimeAxis(this.drawn, this.view.scale, this.folded);
    this.memory =
      this.drawn.memories.find(([name]) => name === this.view.memory) ?? this.drawn.memories[0];
    this.shown = this.drawn.buffers
      .filter((b) => b.memory === this.memory[0])
      .sort((a, b) => a.begin_step - b.begin_step || a.id - b.id);
    this.byId = new Map(this.shown.map((b) => [b.id, b]));
    this.again();
  }

  get width() {
    return Math.max(1, this.canvas.clientWidth - kMap.left - kMap.right);
  }
  x(place) {
    return kMap.left + (this.width * (place - this.view.begin)) / (this.view.end - this.view.begin);
  }
  xOf(step) {
    return this.x(this.axis.place(step));
  }
  placeAt(x) {
    return this.view.begin + ((x - kMap.left) / this.width) * (this.view.end - this.view.begin);
  }
  get most() {
    return Math.max(1, this.view.memory === 'arena' ? this.view.most : this.memory[1]);
  }
  y(address) {
    return this.top + kMap.plot * (1 - address / this.most);
  }
  curveY(bytes) {
    return 8 + (kMap.curve - 12) * (1 - bytes / this.most);
  }

  box(buffer) {
    const x = this.xOf(buffer.begin_step),
      right = this.xOf(Math.max(buffer.end_step, buffer.begin_step + 1));
    const y = this.y(buffer.offset_bytes + buffer.size_bytes);
    return { x, y, width: right - x, height: this.y(buffer.offset_bytes) - y };
  }

  /** The inputs that a buffer lies over while both live: [{buffer, bytes}]. */
  overlaps(buffer) {
    const found = [];
    for (const other of this.shown) {
      if (
        other === buffer ||
        other.begin_step >= buffer.end_step ||
        buffer.begin_step >= other.end_step
      )
        continue;
      const begin = Math.max(buffer.offset_bytes, other.offset_bytes);
      const end = Math.min(
        buffer.offset_bytes + buffer.size_bytes,
        other.offset_bytes + other.size_bytes,
      );
      if (begin < end)
        found.push({
          buffer: other,
          bytes: end - begin,
          over: buffer.may_lie_over.includes(other.id),
        });
    }
    return found;
  }
}

const meetsBox = (place, box) =>
  place.left < box.x + box.width &&
  box.x < place.right &&
  place.top < box.y + box.height &&
  box.y < place.bottom;

const kindWords = {
  whole: 'whole tensor',
  block: 'block: a part of a tensor, freed by itself',
  slice: 'slice: a part of a tensor, new in each iteration',
  ring: 'ring: the rows or pixels that are still needed',
  accumulators: 'accumulators: sums that are not complete yet',
  scratch: 'scratch of a kernel',
  constants: 'constants brought from storage',
};
