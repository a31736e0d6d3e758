// SPDX-License-Identifier: Apache-2.0
// Does it fit: SRAM, flash and time against the limits, and what the interpreter takes beside it.

const kInterpreter = 'TensorFlow Lite Micro';

function remainder(needed, limit) {
  if (!isKnown(limit)) return h('span', { class: 'muted' }, 'no limit was given');
  const left = limit - needed;
  return h(
    'span',
    { class: left < 0 ? 'bad' : 'good', title: `${grouped(Math.abs(left))} B` },
    left < 0 ? `${bytesText(-left)} too much` : `${bytesText(left)} left`,
    ` of ${bytesText(limit)}`,
  );
}

function measure(what, value, how, ...bars) {
  return h(
    'div',
    { class: 'measure' },
    h(
      'div',
      { class: 'line' },
      h('span', { class: 'what' }, what),
      value,
      h('span', { class: 'how' }, how),
    ),
    bars,
  );
}

function sramMeasure() {
  const sram = report.verdict.sram,
    other = report.interpreter;
  const parts = [
    {
      name: 'arena',
      value: sram.arena_bytes,
      colour: 'arena',
      shown: figure(report, 'verdict.sram.arena_bytes', 'bytes'),
    },
    {
      name: "caller's tensors",
      value: sram.caller_bytes,
      colour: 'caller',
      shown: bytesText(sram.caller_bytes),
    },
    {
      name: 'static',
      value: sram.static_bytes,
      colour: 'static',
      shown: bytesText(sram.static_bytes),
    },
    {
      name: 'stack',
      value: sram.stack?.bytes ?? 0,
      colour: 'stack',
      shown: bytesText(sram.stack?.bytes),
    },
    {
      name: 'margin of the estimate',
      value: sram.stack?.margin_bytes ?? 0,
      margin: true,
      shown: bytesText(sram.stack?.margin_bytes),
    },
  ].filter((part) => part.value > 0);
  const measured = other?.measured;
  const theirs = !other
    ? []
    : measured
      ? [
          {
            name: 'arena of activations',
            value: measured.arena_bytes - measured.persistent_bytes,
            colour: 'other',
          },
          {
            name: "the interpreter's own structures",
            value: measured.persistent_bytes,
            colour: 'strong-line',
          },
          { name: 'static', value: measured.static_bytes, colour: 'static' },
          { name: 'stack', value: measured.stack_bytes, colour: 'stack' },
        ]
      : [{ name: 'arena of activations', value: other.arena_bytes, colour: 'other' }];
  const theirSum = theirs.reduce((sum, part) => sum + part.value, 0);
  const most =
    Math.max(
      1,
      sram.needed_bytes,
      theirSum,
      Math.min(sram.limit_bytes ?? 0, 4 * Math.max(sram.needed_bytes, theirSum)),
    ) * 1.02;
  return measure(
    'SRAM',
    figure(report, 'verdict.sram.needed_bytes', 'bytes'),
    remainder(sram.needed_bytes, sram.limit_bytes),
    bar(parts, {
      limit: sram.limit_bytes <= most ? sram.limit_bytes : null,
      most,
      text: bytesText,
    }),
    key(parts),
    theirs.length === 0
      ? null
      : [
          bar(theirs, { most, text: bytesText, thin: true }),
          h(
            'div',
            { class: 'key' },
            `${kInterpreter}: ${bytesText(theirSum)}`,
            measured
              ? ` measured, ${bytesText(measured.persistent_bytes)} of it its own structures`
              : ' for activations alone',
          ),
        ],
  );
}

function flashMeasure() {
  const flash = report.verdict.flash,
    measured = report.interpreter?.measured;
  const parts = [
    {
      name: 'weights',
      value: flash.weight_bytes,
      colour: 'weights',
      shown: figure(report, 'verdict.flash.weight_bytes', 'bytes'),
    },
    {
      name: 'code',
      value: flash.code?.bytes ?? 0,
      colour: 'code',
      shown: bytesText(flash.code?.bytes),
    },
    {
      name: 'margin of the estimate',
      value: flash.code?.margin_bytes ?? 0,
      margin: true,
      shown: bytesText(flash.code?.margin_bytes),
    },
  ].filter((part) => part.value > 0);
  const theirs = measured
    ? [
        { name: 'model', value: measured.model_bytes, colour: 'other' },
        { name: 'code', value: measured.code_bytes, colour: 'code' },
      ]
    : [];
  const needed = Math.max(flash.needed_bytes, measured?.flash_bytes ?? 0);
  const most = Math.max(1, needed, Math.min(flash.limit_bytes ?? 0, 4 * needed)) * 1.02;
  return measure(
    'Flash',
    figure(report, 'verdict.flash.needed_bytes', 'bytes'),
    remainder(flash.needed_bytes, flash.limit_bytes),
    bar(parts, {
      limit: flash.limit_bytes <= most ? flash.limit_bytes : null,
      most,
      text: bytesText,
    }),
    key(parts),
    measured
      ? [
          bar(theirs, { most, text: bytesText, thin: true }),
          h(
            'div',
            { class: 'key' },
            `${kInterpreter}: ${bytesText(measured.flash_bytes)}, of which the model ${bytesText(measured.model_bytes)}`,
          ),
        ]
      : null,
  );
}

function timeMeasure() {
  const estimate = report.estimate;
  if (!estimate)
    return measure(
      'Time',
      'not estimated',
      `there is no latency model of ${report.core ?? 'the core'}`,
    );
  const measured = report.interpreter?.measured;
  const most = Math.max(1, estimate.instructions, measured?.instructions ?? 0) * 1.02;
  const value = isKnown(estimate.milliseconds_at_a_cycle_each)
    ? figure(report, 'estimate.milliseconds_at_a_cycle_each', 'ms')
    : figure(report, 'estimate.instructions', 'count');
  const clock = estimate.clock_hz ? ` at ${estimate.clock_hz / 1e6} MHz, a cycle each` : '';
  return measure(
    'Time',
    value,
    `estimated on ${estimate.core}${clock}`,
    bar([{ name: 'instructions', value: estimate.instructions, colour: 'accent' }], {
      most,
      text: countText,
    }),
    h(
      'div',
      { class: 'key' },
      figure(report, 'estimate.instructions', 'count'),
      ' instructions',
      estimate.wait_cycles > 0
        ? ` and ${countText(estimate.wait_cycles)} cycles of waiting for memories`
        : '',
    ),
    measured
      ? [
          bar([{ name: 'instructions', value: measured.instructions, colour: 'other' }], {
            most,
            text: countText,
            thin: true,
          }),
          h(
            'div',
            { class: 'key' },
            `${kInterpreter}: ${countText(measured.instructions)} counted`,
            isKnown(measured.milliseconds_at_a_cycle_each)
              ? `, ${msText(measured.milliseconds_at_a_cycle_each)}`
              : '',
            `; this plan takes ${(estimate.instructions / measured.instructions).toFixed(2)} of them`,
          ),
        ]
      : null,
  );
}

function facts() {
  const rows = [
    ['Device', report.device ?? 'none named'],
    ['Core', report.core ?? 'none named: kernels for any core'],
    [term('Planner', 'The search that chose order, tiling and kernels'), report.planner],
    [
      term('Peak', 'Largest sum of bytes that live at the same time, without what aligns them'),
      figure(report, 'peak_bytes', 'bytes'),
    ],
    [
      term('Arena', 'One block of SRAM that holds every tensor and scratch of an inference'),
      [
        figure(report, 'arena_bytes', 'bytes'),
        report.layout_proven_optimal
          ? ', no smaller layout exists'
          : [', none is below ', figure(report, 'lower_bound_bytes', 'bytes')],
      ],
    ],
    [
      term('MACs', 'Multiply-accumulates of an inference'),
      [
        figure(report, 'macs', 'count'),
        report.recomputed_macs > 0
          ? [', ', figure(report, 'recomputed_macs', 'count'), ' of them recomputed to save memory']
          : '',
      ],
    ],
  ];
  return h(
    'dl',
    { class: 'facts' },
    rows.map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
  );
}

function interpreterText() {
  const other = report.interpreter;
  if (!other) return null;
  const saved = report.arena_bytes / other.arena_bytes;
  return h(
    'div',
    null,
    h('h3', null, `Beside ${kInterpreter} with CMSIS-NN`),
    h(
      'dl',
      { class: 'facts' },
      h('dt', null, 'Its arena'),
      h(
        'dd',
        null,
        figure(report, 'interpreter.arena_bytes', 'bytes'),
        ' by its rules; this plan takes ',
        saved.toFixed(2),
        ' of it',
      ),
      h('dt', null, 'What counts'),
      h('dd', null, `${other.counted}.`),
      other.measured
        ? [
            h('dt', null, 'Measured'),
            h('dd', null, `${other.measured.source}. Memory was measured on a Cortex-M4.`),
          ]
        : [
            h('dt', null, 'Its time and code'),
            h(
              'dd',
              { class: 'muted' },
              'are not known for this file on this core: only files that were measured have them.',
            ),
          ],
    ),
  );
}

function verdictSection() {
  const limited =
    isKnown(report.verdict.sram.limit_bytes) || isKnown(report.verdict.flash.limit_bytes);
  const badge = !limited
    ? ['plain', 'No limits given']
    : report.fits
      ? ['good', 'Fits']
      : ['bad', 'Does not fit'];
  const warnings = (report.warnings ?? []).map((w) => w.text);
  return section(
    'verdict',
    [h('span', { class: `badge ${badge[0]}`, id: 'badge' }, badge[1])],
    null,
    h(
      'div',
      { class: 'two' },
      h('div', null, sramMeasure(), flashMeasure(), timeMeasure()),
      h('div', null, facts(), interpreterText()),
    ),
    warnings.map((text) => h('p', { class: 'note alarm' }, text)),
    h(
      'p',
      { class: 'note' },
      report.verdict.measured
        ? 'Code and stack were measured with the compiler.'
        : 'Code and stack are estimated; what the estimate may be off by is shown as a margin and counted. --measure compiles and measures.',
    ),
    report.notes.length
      ? h(
          'details',
          null,
          h(
            'summary',
            null,
            `${report.notes.length} note${report.notes.length === 1 ? '' : 's'} of the planner`,
          ),
          h(
            'ul',
            { class: 'messages' },
            report.notes.map((note) => h('li', null, note)),
          ),
        )
      : null,
  );
}
