// SPDX-License-Identifier: Apache-2.0
// node bundle.mjs NODE_MODULES PAGE: one page of index.html, style.css, the scripts in the order below, the
// libraries and their licences. Scripts share one function's scope: no modules are left at run time.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, output] = process.argv.slice(2);
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const text = (...path) =>
  readFileSync(join(...path), 'utf8')
    .replaceAll('\r\n', '\n')
    .trimEnd();
const kLibraryBytes = 150 * 1024;

const scripts = [
  'dom.js',
  'format.js',
  'data.js',
  'theme.js',
  'bars.js',
  'verdict.js',
  'table.js',
  'layers.js',
  'time_axis.js',
  'map_places.js',
  'map_drawn.js',
  'map_view.js',
  'memory_map.js',
  'graph_view.js',
  'graph.js',
  'front.js',
  'advice.js',
  'origin.js',
  'comparison.js',
  'quantisation.js',
  'infeasible.js',
  'main.js',
];
const libraries = {
  UPLOT: text(modules, 'uplot/dist/uPlot.iife.min.js'),
  UPLOT_CSS: text(modules, 'uplot/dist/uPlot.min.css'),
  DAGRE: text(modules, '@dagrejs/dagre/dist/dagre.min.js').replace(
    /\n\/\/# sourceMappingURL=.*$/,
    '',
  ),
};
const licences = ['uplot', '@dagrejs/dagre', '@dagrejs/graphlib']
  .map((name) => {
    const version = JSON.parse(text(modules, name, 'package.json')).version;
    return `${name} ${version}\n\n${text(modules, name, 'LICENSE')}`;
  })
  .join('\n\n----\n\n');

const size = Object.values(libraries).reduce((sum, library) => sum + library.length, 0);
if (size > kLibraryBytes)
  throw new Error(`libraries are ${size} bytes, more than ${kLibraryBytes}`);
const parts = {
  ...libraries,
  STYLE: text(source, 'style.css'),
  WORKER: text(source, 'layout_worker.js'),
  LICENCES: licences.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  SCRIPTS: `(() => {\n'use strict';\n${scripts.map((name) => text(source, name)).join('\n\n')}\n})();`,
};
for (const [name, part] of Object.entries(parts)) {
  if (/<\/(script|style)/i.test(part)) throw new Error(`${name} would end its element`);
}
const page = text(source, 'index.html').replace(/@([A-Z_]+)@/g, (_, name) => {
  if (!(name in parts)) throw new Error(`index.html names ${name}, which there is not`);
  return parts[name];
});
if (page.split('THIMBLE_REPORT').length !== 2)
  throw new Error('the page has not one place for a report');
writeFileSync(output, page + '\n');
