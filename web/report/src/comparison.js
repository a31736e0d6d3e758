// SPDX-License-Identifier: Apache-2.0
// `thimble compare`: planners on models, with the winner of each.

/** Without limits the smallest arena, within limits the fastest that fits; of equal ones the other figure decides. */
function winner(model, limited) {
  const planned = model.planners.filter((p) => p.outcome === 'planned');
  const fitting = limited ? planned.filter((p) => p.fits) : planned;
  const time = (p) => p.estimated_instructions ?? Infinity;
  const better =
    limited && fitting.length
      ? (a, b) => time(a) - time(b) || a.arena_bytes - b.arena_bytes
      : (a, b) => a.arena_bytes - b.arena_bytes || time(a) - time(b);
  return [...(fitting.length ? fitting : planned)].sort(better)[0] ?? null;
}

function overBar(value, most, colour, limit) {
  return h(
    'div',
    { style: { minWidth: '7rem' } },
    bar([{ name: 'value', value, colour }], { most, limit, text: countText, thin: true }),
  );
}

function modelCard(model, limited, number) {
  const best = winner(model, limited);
  const planned = model.planners.filter((p) => p.outcome === 'planned');
  const mostBytes = Math.max(1, model.interpreter_bytes ?? 0, ...planned.map((p) => p.arena_bytes));
  const mostTime = Math.max(1, ...planned.map((p) => p.estimated_instructions ?? 0));
  const or = (value, text) => (isKnown(value) ? text(value) : '–');
  const columns = [
    {
      name: 'Planner',
      value: (p) => p.planner,
      cell: (p) => [p.planner, p === best ? h('strong', { class: 'good' }, ' ★ winner') : null],
      nowrap: true,
    },
    {
      name: 'Arena',
      meaning: 'SRAM of tensors and scratch',
      number: true,
      value: (p) => p.arena_bytes,
      cell: (p) => or(p.arena_bytes, (n) => h('span', { title: `${grouped(n)} B` }, bytesText(n))),
    },
    {
      name: 'Beside the interpreter',
      meaning: "The line is the interpreter's arena: file's order, greedy, nothing in place",
      value: (p) => p.arena_bytes,
      cell: (p) =>
        isKnown(p.arena_bytes)
          ? overBar(p.arena_bytes, mostBytes, 'arena', model.interpreter_bytes)
          : p.outcome,
    },
    {
      name: 'Ratio',
      meaning: "Arena to the interpreter's",
      number: true,
      value: (p) => p.ratio,
      cell: (p) => or(p.ratio, (n) => n.toFixed(3)),
    },
    {
      name: 'Peak',
      meaning: 'Largest sum of live bytes',
      number: true,
      value: (p) => p.peak_bytes,
      cell: (p) => or(p.peak_bytes, grouped),
    },
    {
      name: 'Instructions',
      meaning: 'Estimated, of an inference',
      number: true,
      value: (p) => p.estimated_instructions,
      cell: (p) =>
        or(p.estimated_instructions, (n) => h('span', { title: grouped(n) }, countText(n))),
    },
    {
      name: 'Time',
      meaning: 'To the slowest planner',
      value: (p) => p.estimated_instructions,
      cell: (p) =>
        isKnown(p.estimated_instructions)
          ? overBar(p.estimated_instructions, mostTime, 'code', null)
          : '–',
    },
    {
      name: 'ms',
      meaning: 'At the clock, if each instruction takes a cycle',
      number: true,
      value: (p) => p.estimated_milliseconds,
      cell: (p) => or(p.estimated_milliseconds, (n) => n.toFixed(1)),
    },
    {
      name: 'Recomputed MACs',
      number: true,
      meaning: "Beyond the network's own",
      value: (p) => p.recomputed_macs,
      cell: (p) => or(p.recomputed_macs, grouped),
    },
    {
      name: 'Search',
      meaning: 'Seconds of planning and layout',
      number: true,
      value: (p) => (p.plan_seconds ?? 0) + (p.layout_seconds ?? 0),
      cell: (p) =>
        isKnown(p.plan_seconds) ? `${(p.plan_seconds + p.layout_seconds).toFixed(2)} s` : '–',
    },
    {
      name: 'Fits',
      meaning: 'All limits',
      value: (p) => String(p.fits),
      cell: (p) =>
        isKnown(p.fits)
          ? h('span', { class: p.fits ? 'good' : 'bad' }, p.fits ? 'yes' : 'no')
          : '–',
    },
  ]
    .filter((column) => limited || column.name !== 'Fits')
    .filter(
      (column) => column.name !== 'ms' || planned.some((p) => isKnown(p.estimated_milliseconds)),
    );
  const reasons = model.planners.filter((p) => p.reason).map((p) => `${p.planner}: ${p.reason}`);
  return section(
    `model-${number}`,
    model.model.split('/').at(-1),
    isKnown(model.interpreter_bytes)
      ? `The interpreter's plan of the file needs ${bytesText(model.interpreter_bytes)} (${grouped(model.interpreter_bytes)} B).`
      : `The interpreter has no plan: ${model.interpreter_reason}`,
    dataTable(columns, model.planners, {
      attributes: (p) => ({ class: p === best ? 'chosen' : null, 'data-planner': p.planner }),
    }).element,
    reasons.length
      ? h(
          'ul',
          { class: 'messages' },
          [...new Set(reasons)].map((reason) => h('li', null, reason)),
        )
      : null,
  );
}

function comparisonSections() {
  const limited = isKnown(report.sram_limit_bytes) || isKnown(report.flash_limit_bytes);
  const names = report.models[0]?.planners.map((p) => p.planner) ?? [];
  const wins = new Map(names.map((name) => [name, 0]));
  const best = report.models.map((model) => winner(model, limited));
  best.forEach((p) => p && wins.set(p.planner, (wins.get(p.planner) ?? 0) + 1));
  const limits = [
    ['SRAM', report.sram_limit_bytes],
    ['flash', report.flash_limit_bytes],
  ]
    .filter(([, n]) => isKnown(n))
    .map(([name, n]) => `${name} ${bytesText(n)}`);
  const overview = dataTable(
    [
      { name: 'Model', value: (m) => m.model.split('/').at(-1), long: true },
      {
        name: 'Interpreter',
        meaning: 'Arena',
        number: true,
        value: (m) => m.interpreter_bytes,
        cell: (m) => bytesText(m.interpreter_bytes),
      },
      {
        name: 'Winner',
        value: (m) => winner(m, limited)?.planner ?? '–',
        cell: (m) => h('strong', { class: 'good' }, winner(m, limited)?.planner ?? '–'),
      },
      ...names.map((name, k) => ({
        name,
        meaning: `Arena of ${name}`,
        number: true,
        value: (m) => m.planners[k]?.arena_bytes,
        cell: (m) => {
          const p = m.planners[k];
          return isKnown(p?.arena_bytes)
            ? h(
                'span',
                {
                  title: `${grouped(p.arena_bytes)} B`,
                  class: p === winner(m, limited) ? 'good' : null,
                },
                bytesText(p.arena_bytes),
              )
            : h('span', { class: 'muted' }, p?.outcome ?? '–');
        },
      })),
    ],
    report.models,
    { shown: 100 },
  ).element;
  return [
    section(
      'comparison',
      'Planners compared',
      [
        limits.length
          ? `Limits: ${limits.join(', ')}. The winner is the fastest plan that fits, of equal ones the smallest, then the first named. `
          : 'The winner is the plan with the smallest arena; of equal ones the fastest, then the first named. ',
        `Won: ${
          [...wins]
            .filter(([, n]) => n > 0)
            .map(([name, n]) => `${name} ${n}`)
            .join(', ') || 'none'
        }.`,
      ],
      overview,
    ),
    ...report.models.map((model, k) => modelCard(model, limited, k)),
    originSection(),
  ];
}
