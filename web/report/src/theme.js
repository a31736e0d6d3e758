// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system has it, until the switch says otherwise.

const theme = {
  listeners: [],
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.cache = {};
    for (const listener of this.listeners) listener();
  },
  toggle() {
    this.dark = !this.dark;
    this.apply();
  },
  cache: {},
  /** A colour of style.css: theme.colour('ring'). */
  colour(name) {
    this.cache[name] ??= getComputedStyle(document.documentElement)
      .getPropertyValue(`--${name}`)
      .trim();
    return this.cache[name];
  },
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
  theme.dark = event.matches;
  theme.apply();
});

/** Between two colours "#rrggbb". */
function mixed(from, to, part) {
  const channel = (colour, k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16);
  const values = [0, 1, 2].map((k) =>
    Math.round(channel(from, k) + part * (channel(to, k) - channel(from, k))),
  );
  return `rgb(${values.join(' ')})`;
}
