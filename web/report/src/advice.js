// SPDX-License-Identifier: Apache-2.0
// What lives at the peak, and what was tried to lower it.

function alternativesTable(alternatives) {
  const size = (value) => h('span', { title: `${grouped(value)} B` }, bytesText(value));
  return dataTable(
    [
      {
        name: 'Options',
        meaning: 'On the command line, beside those that were given',
        value: (a) => a.options,
        cell: (a) => h('code', null, a.options),
      },
      {
        name: 'Arena',
        meaning: 'That was reached',
        number: true,
        value: (a) => a.arena_bytes,
        cell: (a) => size(a.arena_bytes),
      },
      ...(isKnown(report.arena_bytes)
        ? [
            {
              name: 'Less',
              meaning: "Than this plan's arena",
              number: true,
              value: (a) => report.arena_bytes - a.arena_bytes,
              cell: (a) =>
                a.arena_bytes < report.arena_bytes
                  ? `${bytesText(report.arena_bytes - a.arena_bytes)}, ${(100 - (100 * a.arena_bytes) / report.arena_bytes).toFixed(0)} %`
                  : '–',
            },
          ]
        : []),
      {
        name: 'SRAM in all',
        meaning: 'With stack, static memory, what the caller brings, and margins',
        number: true,
        value: (a) => a.sram_bytes,
        cell: (a) => size(a.sram_bytes),
      },
      {
        name: 'Flash in all',
        meaning: 'Weights, code and margin',
        number: true,
        value: (a) => a.flash_bytes,
        cell: (a) => size(a.flash_bytes),
      },
      {
        name: 'Instructions',
        meaning: 'Estimated, of an inference',
        number: true,
        value: (a) => a.estimated_instructions,
        cell: (a) =>
          isKnown(a.estimated_instructions)
            ? h(
                'span',
                { title: grouped(a.estimated_instructions) },
                countText(a.estimated_instructions),
              )
            : '–',
      },
      {
        name: 'Fits',
        meaning: 'All limits',
        value: (a) => String(a.fits),
        cell: (a) =>
          a.fits === null || a.fits === undefined
            ? '–'
            : h('span', { class: a.fits ? 'good' : 'bad' }, a.fits ? 'yes' : 'no'),
      },
    ],
    alternatives,
  ).element;
}

function peakTable() {
  const byId = new Map(report.buffers.map((b) => [b.id, b]));
  const rows = report.peak.buffers.map((id) => byId.get(id)).filter(Boolean);
  return dataTable(
    [
      { name: 'Tensor', meaning: 'What the buffer holds', value: (b) => b.name, long: true },
      {
        name: 'How',
        meaning: 'How much of the tensor is kept',
        value: (b) => b.kind,
        cell: (b) => term(b.kind, kindWords[b.kind] ?? b.kind),
      },
      {
        name: 'Elements',
        meaning: 'Extents of what is held',
        value: (b) => `${b.type} ${shapeText(b.extents)}`,
        nowrap: true,
      },
      {
        name: 'Bytes',
        meaning: 'In the arena',
        number: true,
        value: (b) => b.size_bytes,
        cell: (b) => grouped(b.size_bytes),
      },
      {
        name: 'Address',
        meaning: 'In the arena',
        number: true,
        value: (b) => b.offset_bytes,
        cell: (b) => grouped(b.offset_bytes),
      },
      {
        name: 'Live',
        meaning: 'Steps, the first and the last',
        value: (b) => b.begin_step,
        cell: (b) => `${b.begin_step} to ${Math.max(b.begin_step, b.end_step - 1)}`,
        nowrap: true,
      },
    ],
    rows,
    { sorted: 3 },
  ).element;
}

function adviceSection() {
  const alternatives = report.alternatives ?? [];
  return section(
    'advice',
    'What would lower the peak',
    null,
    report.peak
      ? [
          h(
            'p',
            { class: 'lead' },
            `Most bytes live at step ${report.peak.step}, ${stepName(report.peak)}: `,
            figure(report, 'peak_bytes', 'bytes'),
            '. These tensors are what stops the plan from being smaller.',
          ),
          peakTable(),
        ]
      : null,
    h('h3', null, 'Tried'),
    alternatives.length
      ? [
          h('p', { class: 'lead' }, 'Each was planned, laid out and verified with these options.'),
          alternativesTable(alternatives),
        ]
      : h('p', { class: 'muted' }, 'No other option needs less than this plan.'),
    (report.peak?.hints ?? []).length
      ? h(
          'ul',
          { class: 'messages' },
          report.peak.hints.map((hint) => h('li', null, hint)),
        )
      : null,
  );
}
