// SPDX-License-Identifier: Apache-2.0
// The memory map: this plan, and the interpreter's way before it.

function memoryMapSection() {
  const ours = drawnPlan(report, report.verdict.sram.limit_bytes);
  const before = report.before ? drawnPlan(report.before, report.verdict.sram.limit_bytes) : null;
  const view = { begin: 0, end: 1, scale: 'steps', memory: 'arena', most: 1 };
  const maps = [];
  const again = () => maps.forEach((map) => map.again());
  const captions = [];
  const add = (drawn, name, words) => {
    const map = new MapView(drawn, view, again, name);
    map.isOurs = drawn === ours;
    map.canvas.dataset.map = name;
    maps.push(map);
    captions.push(
      h(
        'div',
        null,
        h('div', { class: 'caption' }, words[0], ' ', h('span', { class: 'muted' }, words[1])),
        map.frame,
      ),
    );
  };
  add(ours, 'plan', ['This plan', `${report.planner}: arena ${bytesText(ours.arena)}`]);
  if (before)
    add(before, 'before', [
      'Before',
      `operators in the file's order, laid out greedily by size, nothing in place, the same core's kernels: arena ${bytesText(before.arena)}`,
    ]);
  const limited = isKnown(ours.limit) && ours.limit < 3 * Math.max(ours.arena, before?.arena ?? 0);
  const show = (which) => {
    captions.forEach((caption, k) => {
      caption.hidden = which !== 'both' && (which === 'plan') !== maps[k].isOurs;
    });
    const arenas = maps.filter((_, k) => !captions[k].hidden).map((map) => map.drawn.arena);
    view.most = Math.max(...arenas, limited ? ours.limit : 0) * 1.03;
    maps.forEach((map) => map.relay());
  };
  show('plan');
  selection.listeners.push(again);
  const relay = () => maps.forEach((map) => map.relay());
  const kinds = Object.keys(kindWords).filter((kind) =>
    [ours, before].some((plan) => plan?.buffers.some((b) => b.kind === kind)),
  );
  const controls = h(
    'div',
    { class: 'controls' },
    before
      ? choice(
          'Show',
          [
            ['plan', 'This plan', 'The plan of this report'],
            ['before', 'Before', 'As an interpreter would do it'],
            ['both', 'Both', 'One above the other, to one scale'],
          ],
          'plan',
          show,
        )
      : null,
    report.estimate
      ? choice(
          'Time axis',
          [
            ['steps', 'Steps', 'Every step as wide'],
            ['time', 'To scale', 'Widths are estimated instructions'],
          ],
          'steps',
          (scale) => {
            view.scale = scale;
            relay();
          },
        )
      : null,
    ours.loops.length
      ? choice(
          'Loops',
          [
            ['open', 'One iteration', 'The steps of one iteration'],
            ['folded', 'Folded', 'A column for each loop'],
          ],
          'open',
          (how) => {
            for (const map of maps)
              map.drawn.loops.forEach((loop, k) => {
                if (loop.depth === 0) map.fold(k, how === 'folded');
              });
          },
        )
      : null,
    ours.memories.length > 1
      ? h(
          'select',
          {
            'aria-label': 'Memory',
            onchange(event) {
              view.memory = event.target.value;
              relay();
            },
          },
          ours.memories.map(([name]) => h('option', { value: name }, name)),
        )
      : null,
    h(
      'span',
      { class: 'group' },
      h('span', null, 'Zoom'),
      ...[
        ['+', 0.5, 'In'],
        ['−', 2, 'Out'],
        ['All', Infinity, 'Everything'],
      ].map(([label, factor, meaning]) =>
        h(
          'button',
          {
            type: 'button',
            title: meaning,
            'data-zoom': label,
            onclick() {
              maps[0].zoom(factor);
            },
          },
          label,
        ),
      ),
    ),
  );
  return section(
    'memory',
    'Memory map',
    [
      'Time to the right, addresses upwards; a rectangle is a tensor, or what is kept of it. Hatched: an output is written over bytes of its input that have been read. ',
      'Drag to move; double-click, or turn the wheel with Ctrl, to zoom; a click on a loop folds it. Keys: arrows, +, −, 0; comma and full stop go from step to step.',
    ],
    controls,
    key([
      ...kinds.map((kind) => ({ name: h('span', { title: kindWords[kind] }, kind), colour: kind })),
    ]),
    captions,
  );
}
