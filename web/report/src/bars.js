// SPDX-License-Identifier: Apache-2.0
// Bars of parts, to one scale.

/** parts: [{name, value, colour, margin}]; limit: drawn as a line; most: the value at the right end. */
function bar(parts, { limit = null, most, text, thin = false }) {
  const width = (value) => `${Math.max(0, (100 * value) / most)}%`;
  const label = parts
    .filter((p) => p.value > 0)
    .map((p) => `${p.name} ${text(p.value)}`)
    .join(', ');
  return h(
    'div',
    { class: thin ? 'bar thin' : 'bar', role: 'img', 'aria-label': label },
    h(
      'div',
      { class: 'track' },
      parts
        .filter((p) => p.value > 0)
        .map((p) =>
          h('div', {
            class: p.margin ? 'part margin' : 'part',
            title: `${p.name}: ${text(p.value)}`,
            style: { width: width(p.value), backgroundColor: p.margin ? '' : `var(--${p.colour})` },
          }),
        ),
    ),
    isKnown(limit)
      ? h('div', {
          class: 'limit',
          title: `limit: ${text(limit)}`,
          style: { left: `calc(${width(Math.min(limit, most))} - 1px)` },
        })
      : null,
  );
}

function key(parts) {
  return h(
    'div',
    { class: 'key' },
    parts.map((p) =>
      h(
        'span',
        null,
        h('i', {
          class: p.margin ? 'margin' : null,
          style: { background: p.margin ? '' : `var(--${p.colour})` },
        }),
        p.name,
        p.shown ? [' ', p.shown] : null,
      ),
    ),
  );
}
