// SPDX-License-Identifier: Apache-2.0
// The network's operators and the tensors between them, with fused groups around them.

function graphParts() {
  const tensors = new Map(report.tensors.map((t) => [t.id, t]));
  const nodes = [],
    maker = new Map(),
    edges = [];
  const add = (node, outputs) => {
    nodes.push({ group: null, layer: -1, values: {}, ...node });
    for (const t of outputs) maker.set(t, nodes.length - 1);
  };
  const layers = report.layers
    .map((layer, index) => ({ ...layer, index }))
    .filter((layer) => layer.of_network);
  const made = new Set(layers.flatMap((layer) => layer.outputs)),
    read = new Set(layers.flatMap((layer) => layer.inputs));
  const given = [...read].filter((t) => !made.has(t));
  const word = given.length > 1 ? 'input or state' : 'input';
  for (const t of given) {
    const tensor = tensors.get(t);
    add(
      {
        lines: [word, shapeText(tensor.shape)],
        lineage: `${word} ${tensor.name}`.toLowerCase(),
        tip: () => [
          `${word} '${tensor.name}'`,
          `${tensor.type} ${shapeText(tensor.shape)}, ${grouped(tensor.bytes)} B`,
        ],
      },
      [t],
    );
  }
  for (const layer of layers) {
    const out = tensors.get(layer.outputs[0]);
    const bytes = layer.outputs.reduce((sum, t) => sum + (tensors.get(t)?.bytes ?? 0), 0);
    add(
      {
        layer: layer.index,
        group: layer.group,
        values: { time: layer.estimated_instructions, bytes, macs: layer.macs },
        lines: [
          layerName(layer),
          `${out ? shapeText(out.shape) : ''}${isKnown(layer.percent) ? `  ${percentText(layer.percent)}` : ''}`,
        ],
        lineage:
          `${layerName(layer)} ${layer.name} ${layer.kernels.join(' ')} ${layer.functions.map((f) => f.name).join(' ')}`.toLowerCase(),
        tip: () =>
          [
            layerName(layer),
            `writes '${layer.name}'`,
            out ? `${out.type} ${shapeText(out.shape)}, ${grouped(bytes)} B` : '',
            isKnown(layer.estimated_instructions)
              ? `${timeText(layer.estimated_instructions)}, ${percentText(layer.percent)}`
              : '',
            layer.macs ? `${countText(layer.macs)} MACs` : '',
            layer.group === null
              ? ''
              : 'in a fused group: computed tile by tile with the others inside the dashed line',
            layer.functions.map(functionText).join(', '),
          ].filter(Boolean),
      },
      layer.outputs,
    );
  }
  for (const layer of layers) {
    const to = maker.get(layer.outputs[0]);
    for (const t of new Set(layer.inputs)) if (maker.has(t)) edges.push([maker.get(t), to]);
  }
  return { nodes, edges };
}

function graphSection() {
  const { nodes, edges } = graphParts();
  const view = new GraphView(nodes, edges);
  view.colour(report.estimate ? 'time' : 'bytes');
  selection.listeners.push((layer) => {
    const k = nodes.findIndex((node) => node.layer === layer);
    if (layer >= 0 && k >= 0) view.centre(k);
    view.again();
  });
  const hits = h('span', { class: 'muted', 'aria-live': 'polite' });
  const search = (event, next) => {
    const word = event.target.value.trim().toLowerCase(),
      count = view.find(word, next);
    hits.textContent = word ? `${count} found${count > 1 ? ', Enter goes to the next' : ''}` : '';
  };
  const find = h('input', {
    type: 'search',
    placeholder: 'Find an operator or tensor',
    'aria-label': 'Find in the graph',
    oninput: (event) => search(event, false),
    onkeydown: (event) => {
      if (event.key === 'Enter') search(event, true);
    },
  });
  const colours = [
    report.estimate ? ['time', 'Time', 'Estimated instructions'] : null,
    ['bytes', 'Bytes', 'Of what it writes'],
    ['macs', 'MACs', 'Multiply-accumulates'],
  ].filter(Boolean);
  new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) view.start();
    },
    { rootMargin: '400px' },
  ).observe(view.canvas);
  const fused = new Set(nodes.map((node) => node.group).filter((group) => group !== null)).size;
  return section(
    'graph',
    'Graph',
    [
      `${grouped(nodes.filter((n) => n.layer >= 0).length)} operators`,
      fused
        ? `, with a dashed line around those that are fused (${fused} group${fused === 1 ? '' : 's'})`
        : '',
      '. Drag to move; double-click, or turn the wheel with Ctrl, to zoom.',
    ],
    h(
      'div',
      { class: 'controls' },
      choice('Colour', colours, view.colouring, (by) => view.colour(by)),
      find,
      hits,
      h(
        'span',
        { class: 'group' },
        h('span', null, 'Zoom'),
        [
          ['+', 1.4, 'In'],
          ['−', 1 / 1.4, 'Out'],
        ].map(([label, factor, meaning]) =>
          h('button', { type: 'button', title: meaning, onclick: () => view.zoom(factor) }, label),
        ),
        h(
          'button',
          { type: 'button', title: 'Everything', onclick: () => view.layout && view.all() },
          'All',
        ),
      ),
    ),
    view.frame,
  );
}
