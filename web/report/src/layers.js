// SPDX-License-Identifier: Apache-2.0
// Time by layer, ranked.

const functionText = (place) =>
  place.row === null ? `${place.name}()` : `${place.name}[${place.row}]`;
/** Names of tensors differ at their end. */
const nameEnd = (name) => (name.length > 21 ? `…${name.slice(-20)}` : name);

function shareCell(layer) {
  const most = Math.max(1e-9, ...report.layers.map((l) => l.percent ?? 0));
  const percent = (100 * (layer.percent ?? 0)) / most; // the longest bar is the slowest layer's
  return h(
    'div',
    { class: 'share', title: `${layer.percent} %` },
    h('div', null, h('div', { style: { width: `${percent}%` } })),
    h('span', null, percentText(layer.percent)),
  );
}

function layerColumns() {
  const exact = (value, short) =>
    isKnown(value) ? h('span', { title: grouped(value) }, short(value)) : '–';
  const columns = [
    {
      name: 'Layer',
      meaning: "Operator, and its number in the model's file",
      value: layerName,
      nowrap: true,
    },
    {
      name: 'Writes',
      meaning: 'Name of the tensor that it makes',
      value: (l) => l.name,
      cell: (l) => nameEnd(l.name),
      long: true,
    },
    {
      name: 'Time',
      meaning: 'Share of the estimated instructions of an inference',
      value: (l) => l.percent,
      cell: shareCell,
      number: true,
    },
    {
      name: 'ms',
      meaning: 'At the clock of the device, if each instruction takes a cycle',
      number: true,
      value: (l) => l.milliseconds_at_a_cycle_each,
      cell: (l) =>
        isKnown(l.milliseconds_at_a_cycle_each)
          ? h(
              'span',
              { title: `${l.milliseconds_at_a_cycle_each} ms` },
              l.milliseconds_at_a_cycle_each.toFixed(2),
            )
          : '–',
    },
    {
      name: 'Instructions',
      meaning: 'Estimated, of all its calls in an inference',
      number: true,
      value: (l) => l.estimated_instructions,
      cell: (l) => exact(l.estimated_instructions, grouped),
    },
    {
      name: 'MACs',
      meaning: 'Multiply-accumulates, recomputed ones too',
      number: true,
      value: (l) => l.macs,
      cell: (l) => exact(l.macs, grouped),
    },
    {
      name: 'Recomputed',
      meaning:
        'MACs of elements that are computed again to save memory; negative: of elements that nobody reads',
      number: true,
      value: (l) => l.recomputed_macs,
      cell: (l) => (l.recomputed_macs === 0 ? '–' : exact(l.recomputed_macs, grouped)),
    },
    {
      name: 'Instr./MAC',
      meaning: 'Instructions for each multiply-accumulate',
      number: true,
      value: (l) =>
        l.macs && isKnown(l.estimated_instructions) ? l.estimated_instructions / l.macs : null,
      cell: (l) =>
        l.macs && isKnown(l.estimated_instructions)
          ? (l.estimated_instructions / l.macs).toFixed(2)
          : '–',
    },
    {
      name: 'Calls',
      meaning: 'How often its steps are executed in an inference: once, or once per tile',
      number: true,
      value: (l) => l.executions,
      cell: (l) => grouped(l.executions),
    },
    {
      name: 'Kernel',
      meaning: 'Routine of the runtime that computes it',
      value: (l) => l.kernels.join(', '),
      cell: (l) => h('code', null, l.kernels.join(', ') || '–'),
      long: true,
    },
    {
      name: 'Function',
      meaning:
        'Of the emitted NAME.cc, which executes it; run_steps[7] is row 7 of the table of steps that run_steps() reads',
      value: (l) => l.functions.map(functionText).join(', '),
      cell: (l) =>
        l.functions.length
          ? h('code', null, l.functions.map(functionText).join(', '))
          : h(
              'span',
              { class: 'muted' },
              l.operator === 'RECEIVE' ? "the caller's rows" : 'nothing to execute',
            ),
      long: true,
    },
  ];
  if (!report.estimate)
    return columns.filter((c) => !['Time', 'ms', 'Instructions', 'Instr./MAC'].includes(c.name));
  return report.estimate.clock_hz ? columns : columns.filter((c) => c.name !== 'ms');
}

function layersSection() {
  const rows = report.layers.map((layer, index) => ({ ...layer, index }));
  const columns = layerColumns();
  const sum = rows.reduce((total, layer) => total + (layer.estimated_instructions ?? 0), 0);
  const rest = (report.estimate?.instructions ?? 0) - sum;
  const foot = report.estimate
    ? h(
        'tfoot',
        null,
        h(
          'tr',
          null,
          h(
            'td',
            { colspan: columns.length },
            `${rows.length} layers, ${grouped(sum)} instructions${rest > rows.length ? `; ${grouped(rest)} more for what an inference does beside them` : ''}`,
          ),
        ),
      )
    : null;
  const table = dataTable(columns, rows, {
    sorted: columns.findIndex((c) => c.name === 'Instructions'),
    shown: 30,
    foot,
    attributes: (layer) => ({
      tabindex: 0,
      'data-layer': layer.index,
      class: selection.layer === layer.index ? 'selected' : null,
      onclick() {
        selection.select(layer.index);
      },
      onkeydown(event) {
        if (event.key === 'Enter') selection.select(layer.index);
      },
    }),
  });
  selection.listeners.push((chosen) => {
    if (chosen >= 0 && !table.body.querySelector(`[data-layer="${chosen}"]`)) table.showAll();
    for (const row of table.body.children)
      row.classList.toggle('selected', Number(row.dataset.layer) === chosen);
  });
  const find = h('input', {
    type: 'search',
    placeholder: 'Find a layer, kernel, function',
    'aria-label': 'Find a layer',
    oninput(event) {
      const word = event.target.value.toLowerCase();
      table.keep((l) =>
        [layerName(l), l.name, ...l.kernels, ...l.functions.map((f) => f.name)].some((text) =>
          text.toLowerCase().includes(word),
        ),
      );
    },
  });
  return section(
    'layers',
    'Time by layer',
    'Every operator of the network as it is executed. A row is shown in the memory map and in the graph when it is chosen.',
    h('div', { class: 'controls' }, find),
    table.element,
  );
}
