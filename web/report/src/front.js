// SPDX-License-Identifier: Apache-2.0
// The plans to choose from: SRAM against time.

function frontSection() {
  const { front } = report;
  const points = front.points,
    ms = isKnown(points[0].milliseconds_at_a_cycle_each);
  const time = (p) => (ms ? p.milliseconds_at_a_cycle_each : p.estimated_instructions / 1e6);
  const columns = [
    {
      name: 'Plan',
      meaning: 'For --pick',
      number: true,
      value: (p) => p.number,
      cell: (p) => (p.number === front.picked ? `▸ ${p.number}` : p.number),
    },
    {
      name: 'SRAM',
      meaning: 'Arena',
      number: true,
      value: (p) => p.arena_bytes,
      cell: (p) => h('span', { title: `${grouped(p.arena_bytes)} B` }, bytesText(p.arena_bytes)),
    },
    {
      name: 'Weights',
      meaning: 'Flash of packed constants',
      number: true,
      value: (p) => p.weight_bytes,
      cell: (p) => h('span', { title: `${grouped(p.weight_bytes)} B` }, bytesText(p.weight_bytes)),
    },
    {
      name: 'Instructions',
      meaning: 'Estimated',
      number: true,
      value: (p) => p.estimated_instructions,
      cell: (p) =>
        h(
          'span',
          { title: grouped(p.estimated_instructions) },
          countText(p.estimated_instructions),
        ),
    },
    {
      name: 'ms',
      meaning: 'A cycle each',
      number: true,
      value: (p) => p.milliseconds_at_a_cycle_each,
      cell: (p) =>
        isKnown(p.milliseconds_at_a_cycle_each) ? p.milliseconds_at_a_cycle_each.toFixed(1) : '–',
    },
    {
      name: 'Ratio',
      meaning: "Instructions as a ratio of the fastest plan's",
      number: true,
      value: (p) => p.latency_ratio,
      cell: (p) => p.latency_ratio.toFixed(3),
    },
    {
      name: 'Recomputed',
      meaning: "MACs beyond the network's own",
      number: true,
      value: (p) => p.recomputed_macs,
      cell: (p) => h('span', { title: grouped(p.recomputed_macs) }, countText(p.recomputed_macs)),
    },
  ].filter((column) => ms || column.name !== 'ms');
  const table = dataTable(columns, points, {
    shown: 40,
    attributes: (p) => ({ class: p.number === front.picked ? 'chosen' : null }),
  });
  const chart = h('div', { class: 'chart', 'data-chart': 'front' });
  const limits = {
    sram: front.sram_limit_bytes,
    slowest: isKnown(front.max_latency) ? front.max_latency * time(points.at(-1)) : null,
  };
  drawnChart(chart, points, {
    x: (p) => p.arena_bytes / 1024,
    y: time,
    xLabel: 'SRAM of the arena (KiB)',
    yLabel: ms ? 'ms at a cycle each' : 'estimated instructions (millions)',
    limitX: isKnown(limits.sram) ? limits.sram / 1024 : null,
    limitY: limits.slowest,
    filled: (p) => p.number === front.picked,
    tipOf: (p) =>
      [
        `Plan ${p.number}${p.number === front.picked ? ', the one that was taken' : ''}`,
        `arena ${bytesText(p.arena_bytes)} (${grouped(p.arena_bytes)} B)`,
        `${countText(p.estimated_instructions)} instructions${ms ? `, ${msText(time(p))}` : ''}`,
        p.recomputed_macs > 0 ? `${countText(p.recomputed_macs)} MACs recomputed` : '',
      ].filter(Boolean),
  });
  return section(
    'front',
    'Plans to choose from',
    `${front.choice}. None of these plans is better than another in all respects; --pick takes one by its number.`,
    h('div', { class: 'two' }, chart, table.element),
  );
}

/** Points sorted by x, stepped, with limits on both axes inside of the picture. */
function drawnChart(
  box,
  points,
  { x, y, xLabel, yLabel, limitX, limitY, filled, tipOf, stepped = true },
) {
  const xs = points.map(x),
    ys = points.map(y);
  const range = (values, limit) => {
    const near = isKnown(limit) ? [...values, limit] : values; // limits are always in the picture
    const least = Math.min(...near),
      most = Math.max(...near),
      room = 0.08 * (most - least || most || 1);
    return [Math.max(0, least - room), most + room];
  };
  let plot = null;
  const drawLimits = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = theme.colour('bad');
    ctx.setLineDash([6, 4]);
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    const line = (x1, y1, x2, y2, text, tx, ty) => {
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      ctx.stroke();
      ctx.fillText(text, tx, ty);
    };
    if (isKnown(limitX)) {
      const at = u.valToPos(limitX, 'x', true);
      line(
        at,
        bbox.top,
        at,
        bbox.top + bbox.height,
        'SRAM limit',
        at - 5,
        bbox.top + 14 * devicePixelRatio,
      );
    }
    if (isKnown(limitY)) {
      const at = u.valToPos(limitY, 'y', true);
      line(
        bbox.left,
        at,
        bbox.left + bbox.width,
        at,
        '--max-latency',
        bbox.left + bbox.width - 5,
        at - 5,
      );
    }
    ctx.setLineDash([]);
    points.forEach((point, k) => {
      ctx.beginPath();
      ctx.arc(
        u.valToPos(xs[k], 'x', true),
        u.valToPos(ys[k], 'y', true),
        (filled(point) ? 6.5 : 4.5) * devicePixelRatio,
        0,
        7,
      );
      ctx.fillStyle = theme.colour(filled(point) ? 'accent' : 'surface');
      ctx.strokeStyle = theme.colour('accent');
      ctx.lineWidth = 1.6 * devicePixelRatio;
      ctx.fill();
      ctx.stroke();
    });
    ctx.restore();
  };
  const nearest = (u, event) => {
    let best = -1,
      least = 22;
    points.forEach((_, k) => {
      const away = Math.hypot(
        u.valToPos(xs[k], 'x') - u.cursor.left,
        u.valToPos(ys[k], 'y') - u.cursor.top,
      );
      if (away < least) [best, least] = [k, away];
    });
    if (best < 0) tip.hide();
    else tip.show(event.clientX, event.clientY, tipOf(points[best]));
  };
  const make = () => {
    plot?.destroy();
    const axis = (label) => ({
      label,
      labelSize: 26,
      font: '12px system-ui, sans-serif',
      labelFont: '12px system-ui, sans-serif',
      stroke: theme.colour('muted'),
      grid: { stroke: theme.colour('line'), width: 1 },
      ticks: { stroke: theme.colour('line') },
    });
    plot = new uPlot(
      {
        width: Math.max(260, box.clientWidth),
        height: 330,
        legend: { show: false },
        cursor: { points: { show: false } },
        scales: {
          x: { time: false, range: () => range(xs, limitX) },
          y: { range: () => range(ys, limitY) },
        },
        axes: [axis(xLabel), { ...axis(yLabel), size: 62 }],
        series: [
          {},
          {
            stroke: theme.colour('strong-line'),
            width: 1.5,
            points: { show: false },
            paths: stepped ? uPlot.paths.stepped({ align: 1 }) : () => null,
          },
        ],
        hooks: { draw: [drawLimits] },
      },
      [xs, ys],
      box,
    );
    plot.over.addEventListener('mousemove', (event) => nearest(plot, event));
    plot.over.addEventListener('mouseleave', () => tip.hide());
  };
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth !== width) {
      width = box.clientWidth;
      if (width > 0) make();
    }
  }).observe(box);
  theme.listeners.push(() => {
    if (width > 0) make();
  });
}
