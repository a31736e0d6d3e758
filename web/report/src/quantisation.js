// SPDX-License-Identifier: Apache-2.0
// `thimble quantize`: what became of a float network in integers.

const decibels = (db) => (isKnown(db) ? `${db.toFixed(1)} dB` : 'exact');
const shareText = (some, all) => (isKnown(some) && all > 0 ? `${((100 * some) / all).toFixed(2)} %` : '–');
const exact = (n) => String(Number(n.toPrecision(5)));

/** How far the signal is above the noise, from 0 dB on; the colour tells where it is little. */
function noiseBar(db, most) {
  const colour = !isKnown(db) || db >= 25 ? 'code' : 'arena';
  return h(
    'div',
    { style: { minWidth: '8rem' } },
    bar([{ name: 'signal over noise', value: isKnown(db) ? Math.max(0, db) : most, colour }], {
      most,
      text: decibels,
      thin: true,
    }),
  );
}

const noiseColumns = (value, most, name, meaning) => [
  { name, meaning, number: true, value: (row) => value(row) ?? Infinity, cell: (row) => decibels(value(row)) },
  { name: '', meaning, value: (row) => value(row) ?? Infinity, cell: (row) => noiseBar(value(row), most) },
];

function qualitySection() {
  const { judged_samples: judged } = report;
  const facts = [
    ['Same class as float32', shareText(report.agreeing_samples, judged)],
    ['Right by the labels', shareText(report.right_samples, judged)],
    ['The same in float32', shareText(report.right_samples_in_float, judged)],
    ['Scores', decibels(report.score_sqnr_db)],
    ...report.outputs.map((output, k) => [
      report.outputs.length === 1 ? 'Output' : `Output ${k}`,
      `${decibels(output.sqnr_db)}, off by ${exact(output.largest_difference)} at most`,
    ]),
    ['In float32', report.left_in_float.join(', ') || 'nothing'],
  ].filter(([, text]) => text !== '–');
  const most = Math.max(30, ...report.methods.map((method) => method.score_sqnr_db ?? 0));
  const columns = [
    {
      name: 'Method',
      value: (m) => m.name,
      cell: (m) => [m.name, m.name === report.method ? h('strong', { class: 'good' }, ' ★ taken') : null],
    },
    ...noiseColumns((m) => m.score_sqnr_db, most, 'Scores', 'Signal over noise of the scores, the mean of the samples'),
    {
      name: 'Same class',
      number: true,
      meaning: 'As the float network',
      value: (m) => m.agreeing_samples,
      cell: (m) => shareText(m.agreeing_samples, judged),
    },
  ];
  return section(
    'quality',
    'Beside float32',
    `${report.file}: ${bytesText(report.file_bytes)}, ${report.operators} operators, with ${report.samples} samples of ${report.data}.`,
    report.warnings.length
      ? h(
          'ul',
          { class: 'messages' },
          report.warnings.map((warning) => h('li', null, warning)),
        )
      : null,
    h(
      'table',
      { class: 'facts' },
      h(
        'tbody',
        null,
        facts.map(([name, text]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, text))),
      ),
    ),
    report.methods.length ? dataTable(columns, report.methods).element : null,
  );
}

function formatsSection() {
  const rows = report.formats;
  const planned = rows.some((row) => isKnown(row.flash_bytes));
  const bytes = (name, key, meaning) => ({
    name,
    meaning,
    number: true,
    value: (row) => row[key],
    cell: (row) => (isKnown(row[key]) ? h('span', { title: `${grouped(row[key])} B` }, bytesText(row[key])) : '–'),
  });
  const most = Math.max(30, ...rows.map((row) => row.score_sqnr_db ?? 0));
  const columns = [
    bytes('Constants', 'weight_bytes', 'Of the file'),
    ...(planned
      ? [
          bytes('SRAM', 'sram_bytes', 'All that the firmware takes'),
          bytes('Flash', 'flash_bytes', 'All that the firmware takes'),
          {
            name: 'Instructions',
            meaning: 'Estimated, of an inference',
            number: true,
            value: (row) => row.instructions,
            cell: (row) => (isKnown(row.instructions) ? countText(row.instructions) : '–'),
          },
        ]
      : []),
    ...noiseColumns((row) => row.score_sqnr_db, most, 'Scores', 'Signal over noise of the scores'),
    {
      name: 'Same class',
      number: true,
      value: (row) => row.agreeing_samples,
      cell: (row) => shareText(row.agreeing_samples, report.judged_samples),
    },
    {
      name: 'Right',
      number: true,
      value: (row) => row.right_samples,
      cell: (row) => shareText(row.right_samples, report.judged_samples),
    },
    {
      name: 'Formats',
      value: (row) => row.formats,
      cell: (row) => [
        row.formats,
        row.taken ? h('strong', { class: 'good' }, ' ★ taken') : null,
        row.allowed ? null : h('span', { class: 'bad' }, ' beyond the budget'),
      ],
    },
  ];
  const chart = h('div', { class: 'chart', 'data-chart': 'front' });
  drawnChart(
    chart,
    [...rows].sort((a, b) => a.weight_bytes - b.weight_bytes),
    {
      x: (row) => row.weight_bytes / 1024,
      y: (row) => row.score_sqnr_db ?? most,
      xLabel: 'constants (KiB)',
      yLabel: 'signal over noise of the scores (dB)',
      filled: (row) => row.taken,
      stepped: false,
      tipOf: (row) => [
        row.formats,
        `${bytesText(row.weight_bytes)} (${grouped(row.weight_bytes)} B)`,
        decibels(row.score_sqnr_db),
      ],
    },
  );
  return section(
    'formats',
    'Formats of layers',
    'The same network with weights of 4 bits in more and more layers, or activations of 16.',
    h('div', { class: 'two' }, chart, dataTable(columns, rows, { attributes: (row) => ({ class: row.taken ? 'chosen' : null }) }).element),
  );
}

function sensitivitySection() {
  const most = Math.max(40, ...report.layers.map((layer) => layer.score_sqnr_db ?? 0));
  const columns = [
    { name: 'Operator', value: (layer) => layer.operator, cell: (layer) => layer.operator, nowrap: true },
    { name: 'Format', value: (layer) => layer.format, cell: (layer) => layer.format },
    ...noiseColumns((layer) => layer.score_sqnr_db, most, 'Scores', 'If this operator alone is quantised'),
  ];
  return section(
    'sensitivity',
    'What each layer costs',
    'Signal over noise of the scores if one operator alone is quantised. What helps most where it is least: --layer N=int16, or =float32.',
    dataTable(columns, report.layers, { shown: 30 }).element,
  );
}

function tensorsSection() {
  const most = Math.max(40, ...report.tensors.map((tensor) => tensor.sqnr_db ?? 0));
  const number = (name, key, meaning) => ({
    name,
    meaning,
    number: true,
    value: (tensor) => tensor[key],
    cell: (tensor) => exact(tensor[key]),
  });
  const columns = [
    { name: 'Tensor', value: (tensor) => tensor.name, cell: (tensor) => tensor.name, long: true },
    { name: 'Type', value: (tensor) => tensor.type, cell: (tensor) => tensor.type },
    ...noiseColumns((tensor) => tensor.sqnr_db, most, 'Signal over noise', 'With all in front of it quantised, too'),
    number('Least', 'min', 'That was seen'),
    number('Most', 'max', 'That was seen'),
    number('From', 'taken_min', 'What lies below is clipped'),
    number('To', 'taken_max', 'What lies above is clipped'),
    number('Scale', 'scale', 'Of a step'),
  ];
  return section(
    'tensors',
    'Tensors',
    'Ranges of the activations as they were seen and as they are taken.',
    dataTable(columns, report.tensors, { shown: 40 }).element,
  );
}

function quantisationSections() {
  return [
    qualitySection(),
    report.formats.length ? formatsSection() : null,
    report.layers.length ? sensitivitySection() : null,
    tensorsSection(),
    originSection(),
  ].filter(Boolean);
}
