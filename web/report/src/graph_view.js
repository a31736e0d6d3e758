// SPDX-License-Identifier: Apache-2.0
// The network as a picture that can be moved and zoomed.

const kNode = { width: 168, height: 40 };

class GraphView {
  /** nodes: [{lines, lineage, layer, group, values: {time, bytes}}]; edges: [[from, to]]. */
  constructor(nodes, edges) {
    Object.assign(this, {
      nodes,
      edges,
      layout: null,
      colouring: 'time',
      scale: 1,
      x: 0,
      y: 0,
      found: -1,
      hovered: -1,
    });
    Object.assign(
      this,
      canvasBox(
        'The network: arrows move, plus and minus zoom, 0 shows all, Enter chooses what was found',
        560,
        (context, width, height) => this.draw(context, width, height),
      ),
    );
    this.canvas.dataset.state = 'waiting';
    this.listen();
  }

  /** Laid out in a worker, when it is first looked at. */
  start() {
    if (this.worker) return;
    const source = ['dagre', 'layout-worker']
      .map((id) => document.getElementById(id).textContent)
      .join('\n');
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    this.worker.onmessage = ({ data }) => {
      this.layout = data;
      this.bound();
      if (!this.touched) this.fit();
      else this.again();
      if (!data.last) return;
      this.canvas.dataset.state = 'ready';
      this.worker.terminate();
    };
    this.worker.postMessage({
      nodes: this.nodes.map(({ group }) => ({ ...kNode, group })),
      edges: this.edges,
      most: 1000,
    });
  }

  bound() {
    const groups = new Map();
    this.nodes.forEach((node, k) => {
      if (node.group === null) return;
      const [x, y] = this.layout.places[k];
      const box = groups.get(node.group) ?? {
        left: Infinity,
        right: -Infinity,
        top: Infinity,
        bottom: -Infinity,
      };
      groups.set(node.group, {
        left: Math.min(box.left, x - kNode.width / 2),
        right: Math.max(box.right, x + kNode.width / 2),
        top: Math.min(box.top, y - kNode.height / 2),
        bottom: Math.max(box.bottom, y + kNode.height / 2),
      });
    });
    this.groups = groups;
    const { places } = this.layout;
    this.extent = {
      left: Math.min(...places.map(([x]) => x)) - kNode.width,
      right: Math.max(...places.map(([x]) => x)) + kNode.width,
      top: Math.min(...places.map(([, y]) => y)) - kNode.height,
      bottom: Math.max(...places.map(([, y]) => y)) + kNode.height,
    };
  }

  fit() {
    const { left, right, top, bottom } = this.extent;
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight;
    const whole = Math.min(1, width / (right - left), height / (bottom - top));
    this.scale = Math.max(whole, 0.45); // what cannot be read is no beginning
    this.x = width / 2 - (this.scale * (left + right)) / 2;
    this.y =
      whole < this.scale ? 10 - this.scale * top : height / 2 - (this.scale * (top + bottom)) / 2;
    this.again();
  }

  all() {
    this.touched = true;
    const { left, right, top, bottom } = this.extent;
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight;
    this.scale = Math.min(1.5, width / (right - left), height / (bottom - top));
    this.x = width / 2 - (this.scale * (left + right)) / 2;
    this.y = height / 2 - (this.scale * (top + bottom)) / 2;
    this.again();
  }

  screen([x, y]) {
    return [this.x + this.scale * x, this.y + this.scale * y];
  }

  draw(context, width, height) {
    context.clearRect(0, 0, width, height);
    context.textBaseline = 'middle';
    this.canvas.dataset.scale = this.scale.toFixed(4);
    if (!this.layout) {
      context.fillStyle = theme.colour('muted');
      context.textAlign = 'center';
      context.fillText('The network is being laid out …', width / 2, height / 2);
      return;
    }
    this.drawGroups(context);
    this.drawEdges(context, width, height);
    this.drawNodes(context, width, height);
  }

  drawGroups(context) {
    for (const [, box] of this.groups) {
      const [left, top] = this.screen([box.left - 9, box.top - 9]),
        [right, bottom] = this.screen([box.right + 9, box.bottom + 9]);
      context.fillStyle = theme.colour('accent-soft');
      context.globalAlpha = 0.45;
      context.fillRect(left, top, right - left, bottom - top);
      context.globalAlpha = 1;
      context.strokeStyle = theme.colour('accent');
      context.setLineDash([5, 4]);
      context.strokeRect(left, top, right - left, bottom - top);
      context.setLineDash([]);
    }
  }

  drawEdges(context, width, height) {
    context.strokeStyle = theme.colour('strong-line');
    context.beginPath();
    this.edges.forEach(([from, to], k) => {
      const [x1, y1] = this.layout.places[from],
        [x2, y2] = this.layout.places[to];
      const points = this.layout.lines[k] ?? [
        [x1, y1 + kNode.height / 2],
        [x2, y2 - kNode.height / 2],
      ];
      const ends = [this.screen(points[0]), this.screen(points.at(-1))];
      if (Math.max(ends[0][1], ends[1][1]) < 0 || Math.min(ends[0][1], ends[1][1]) > height) return;
      points.forEach((point, p) =>
        p === 0 ? context.moveTo(...this.screen(point)) : context.lineTo(...this.screen(point)),
      );
    });
    context.stroke();
  }

  fill(node) {
    const value = node.values[this.colouring],
      most = this.most ?? 1;
    if (!isKnown(value)) return [theme.colour('raised'), theme.colour('text')];
    const part = Math.sqrt(Math.max(0, value) / most);
    return [
      mixed(theme.colour('heat-low'), theme.colour('heat-high'), part),
      theme.colour(part > 0.55 ? 'heat-text' : 'text'),
    ];
  }

  colour(by) {
    this.colouring = by;
    this.most = Math.max(1e-9, ...this.nodes.map((node) => node.values[by] ?? 0));
    this.again();
  }

  drawNodes(context, width, height) {
    const w = this.scale * kNode.width,
      tall = this.scale * kNode.height;
    context.textAlign = 'center';
    this.nodes.forEach((node, k) => {
      const [x, y] = this.screen(this.layout.places[k]);
      if (x + w / 2 < 0 || x - w / 2 > width || y + tall / 2 < 0 || y - tall / 2 > height) return;
      const [back, text] = this.fill(node);
      context.fillStyle = back;
      context.beginPath();
      context.roundRect(x - w / 2, y - tall / 2, w, tall, Math.min(5, tall / 4));
      context.fill();
      const marked = node.layer >= 0 && node.layer === selection.layer;
      context.lineWidth = marked || k === this.found ? 3 : 1;
      context.strokeStyle = theme.colour(
        k === this.found ? 'warn' : marked ? 'accent' : 'strong-line',
      );
      context.stroke();
      context.lineWidth = 1;
      if (this.scale < 0.42) return;
      context.font = `${Math.max(7.5, 12 * Math.min(1.2, this.scale))}px system-ui, sans-serif`;
      context.fillStyle = text;
      node.lines.forEach((line, n) =>
        context.fillText(fitted(context, line, w - 8), x, y + (n - 0.5) * tall * 0.42),
      );
    });
    context.font = '12px system-ui, sans-serif';
  }

  nodeAt(x, y) {
    if (!this.layout) return -1;
    return this.layout.places.findIndex((place) => {
      const [px, py] = this.screen(place);
      return (
        Math.abs(x - px) <= (this.scale * kNode.width) / 2 &&
        Math.abs(y - py) <= (this.scale * kNode.height) / 2
      );
    });
  }

  centre(k) {
    if (!this.layout) return;
    this.touched = true;
    this.scale = Math.max(this.scale, 0.8);
    const [x, y] = this.layout.places[k];
    this.x = this.canvas.clientWidth / 2 - this.scale * x;
    this.y = this.canvas.clientHeight / 2 - this.scale * y;
    this.again();
  }

  /** The next node that has the word; says how many there are. */
  find(word, next) {
    const hits = word
      ? this.nodes.flatMap((node, k) => (node.lineage.includes(word) ? [k] : []))
      : [];
    if (hits.length === 0) this.found = -1;
    else {
      const at = hits.indexOf(this.found);
      this.found = next ? hits[(at + 1) % hits.length] : at >= 0 ? this.found : hits[0];
      this.centre(this.found);
    }
    this.again();
    return hits.length;
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    this.touched = true;
    const scale = Math.min(4, Math.max(0.02, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.again();
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX - this.x, y: event.offsetY - this.y, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag) {
        drag.moved ||=
          Math.hypot(event.offsetX - drag.x - this.x, event.offsetY - drag.y - this.y) > 3;
        this.touched ||= drag.moved;
        if (drag.moved) [this.x, this.y] = [event.offsetX - drag.x, event.offsetY - drag.y];
        return this.again();
      }
      const k = this.nodeAt(event.offsetX, event.offsetY);
      return k < 0 ? tip.hide() : tip.show(event.clientX, event.clientY, this.nodes[k].tip());
    });
    canvas.addEventListener('pointerup', (event) => {
      const k = drag && !drag.moved ? this.nodeAt(event.offsetX, event.offsetY) : -1;
      if (k >= 0 && this.nodes[k].layer >= 0) selection.select(this.nodes[k].layer);
      drag = null;
    });
    canvas.addEventListener('pointerleave', () => tip.hide());
    canvas.addEventListener('dblclick', (event) => this.zoom(1.8, event.offsetX, event.offsetY));
    canvas.addEventListener('keydown', (event) => {
      const keys = {
        ArrowLeft: () => {
          this.x += 60;
        },
        ArrowRight: () => {
          this.x -= 60;
        },
        ArrowUp: () => {
          this.y += 60;
        },
        ArrowDown: () => {
          this.y -= 60;
        },
        '+': () => this.zoom(1.3),
        '=': () => this.zoom(1.3),
        '-': () => this.zoom(1 / 1.3),
        0: () => this.all(),
      };
      if (!keys[event.key] || !this.layout) return;
      event.preventDefault();
      keys[event.key]();
      this.again();
    });
  }
}
