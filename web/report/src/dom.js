// SPDX-License-Identifier: Apache-2.0
// Elements, of which nothing is ever parsed: what a report says is text.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(element.style, value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function section(id, title, lead, ...children) {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    lead ? h('p', { class: 'lead' }, lead) : null,
    ...children,
  );
}

/** A word with its meaning. */
const term = (word, meaning) => h('abbr', { title: meaning, tabindex: 0 }, word);

/** Buttons of which one is pressed. options: [[value, label, meaning]]. */
function choice(name, options, value, changed) {
  const buttons = options.map(([key, label, meaning]) =>
    h(
      'button',
      {
        type: 'button',
        title: meaning,
        'aria-pressed': String(key === value),
        'data-choice': key,
        onclick() {
          press(key);
        },
      },
      label,
    ),
  );
  function press(key) {
    buttons.forEach((button, k) =>
      button.setAttribute('aria-pressed', String(options[k][0] === key)),
    );
    changed(key);
  }
  return h(
    'span',
    { class: 'group', role: 'group', 'aria-label': name },
    h('span', null, name),
    buttons,
  );
}

const tip = {
  element: null,
  show(x, y, lines) {
    this.element ??= document.getElementById('tip');
    const [first, ...rest] = lines;
    this.element.replaceChildren(h('b', null, first), ...rest.map((line) => h('div', null, line)));
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    const left = x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16;
    const top = y + 14 + box.height > innerHeight ? y - box.height - 10 : y + 14;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${Math.max(4, top)}px`;
  },
  hide() {
    this.element ??= document.getElementById('tip');
    this.element.hidden = true;
  },
};

/** A canvas that is as sharp as the screen, and drawn again when its size or the theme changes. */
function canvasBox(label, height, draw) {
  const canvas = h('canvas', { tabindex: 0, role: 'img', 'aria-label': label });
  canvas.style.height = `${height}px`;
  let waiting = false;
  const paint = () => {
    waiting = false;
    const width = canvas.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '12px system-ui, sans-serif';
    draw(context, width, height);
  };
  const again = () => {
    if (!waiting) requestAnimationFrame(paint);
    waiting = true;
  };
  new ResizeObserver(again).observe(canvas);
  theme.listeners.push(again);
  return { canvas, frame: h('div', { class: 'canvas-box' }, canvas), again };
}

/** Names of tensors differ at their end: the last part, or as much of it as there is room for. */
function fittedName(context, name, rest, width) {
  const last = name.split(/[/;]/).filter(Boolean).at(-1) ?? name;
  for (const text of [name, last])
    if (context.measureText(text + rest).width <= width) return text + rest;
  return fitted(context, last, width);
}

/** The longest beginning of a text that is no wider, with an ellipsis where it is not all; or ''. */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0,
    high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? '' : `${text.slice(0, low)}…`;
}
