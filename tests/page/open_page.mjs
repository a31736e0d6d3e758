// SPDX-License-Identifier: Apache-2.0
// node open_page.mjs MODULES CHROMIUM PAGE JSON [PICTURE]: opens a page of thimble --html without a network and
// checks it against the figures of the same command. Prints what is wrong and ends with status 1. PICTURE:
// a folder for screenshots, or '-'.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, executablePath, page_file, json_file, pictures = '-'] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(modules), 'x.js'))('playwright-core');
const faults = [];
const expect = (ok, what) => {
  if (!ok) faults.push(what);
};
const json = JSON.parse(readFileSync(json_file, 'utf8'));
const at = (path) => path.split('.').reduce((value, key) => value?.[key], json);

const browser = await chromium.launch({
  executablePath,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const context = await browser.newContext({
  offline: true,
  viewport: { width: 1400, height: 1000 },
});
const page = await context.newPage();
page.setDefaultTimeout(20000);
page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
});
page.on('request', (request) => {
  if (!/^(file|blob|data):/.test(request.url())) faults.push(`asks for ${request.url()}`);
});
page.on('dialog', (dialog) => {
  faults.push(`dialog: ${dialog.message()}`);
  dialog.dismiss();
});

const begin = Date.now();
await page.goto(pathToFileURL(resolve(page_file)).href);
await page.waitForSelector('html[data-ready]', { state: 'attached', timeout: 20000 });
const milliseconds = Date.now() - begin;

// The page has the same figures.
const held = await page.evaluate(() => JSON.parse(document.getElementById('report').textContent));
expect(JSON.stringify(held) === JSON.stringify(json), 'the page holds other figures than the JSON');
const fields = await page.$$eval('[data-field]', (all) =>
  all.map((e) => ({
    path: e.dataset.field,
    value: e.dataset.value,
    title: e.title,
    text: e.textContent,
  })),
);
for (const { path, value, title, text } of fields) {
  expect(String(at(path)) === value, `${path} is ${at(path)}, the page has ${value}`);
  if (!title || title.endsWith(' %')) continue;
  expect(
    Number(title.replace(/[^0-9.e-]/g, '')) === Number(value),
    `${path}: tooltip '${title}' of ${value}`,
  );
  const [, digits, unit] = /^(-?[0-9.,]+) ?(\S*)/.exec(text) ?? [];
  const scale = { KiB: 1024, MiB: 1024 ** 2, k: 1e3, M: 1e6, G: 1e9, s: 1e3 }[unit] ?? 1;
  const shown = Number(digits?.replaceAll(',', '')) * scale;
  expect(
    Math.abs(shown - Number(value)) <= 0.006 * Math.abs(Number(value)) + 0.06 * scale,
    `${path}: '${text}' of ${value}`,
  );
}
expect(fields.length > 0 || !json.planner, 'no figure of the page says which it is');
for (const [k, model] of (json.models ?? []).entries()) {
  for (const { planner, arena_bytes } of model.planners) {
    const title = await page
      .locator(`#model-${k} tr[data-planner="${planner}"] td:nth-child(2)`)
      .evaluate((cell) => cell.firstChild?.title ?? '');
    expect(
      title === (arena_bytes === null ? '' : `${arena_bytes.toLocaleString('en-US')} B`),
      `${model.model}, ${planner}: '${title}' of ${arena_bytes}`,
    );
  }
}

const canvas = (selector) => page.locator(selector);
const visible = async (selector) => {
  const all = canvas(selector);
  await all.scrollIntoViewIfNeeded();
  return all.boundingBox();
};
const tip_text = async () =>
  (await page.locator('#tip').isVisible()) ? page.locator('#tip').innerText() : '';

async function layers() {
  const rows = await page.$$eval('#layers tbody tr', (all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );
  const numbers = json.layers.map((layer) => layer.estimated_instructions).sort((a, b) => b - a);
  const heads = await page.$$eval('#layers th', (all) => all.map((cell) => cell.textContent));
  const column = heads.indexOf('Instructions');
  if (column >= 0)
    rows.forEach((row, k) =>
      expect(
        Number(row[column].replaceAll(',', '')) === numbers[k],
        `row ${k} of the layers has ${row[column]}, not ${numbers[k]}`,
      ),
    );
  expect(rows.length === Math.min(30, json.layers.length), `${rows.length} layers are shown`);
  await page.locator('#layers tbody tr').first().click();
  expect(
    (await page.locator('#layers tbody tr.selected').count()) === 1,
    'a layer that is clicked is not chosen',
  );
  await page.keyboard.press('Escape');
  const first = json.layers[0];
  await page.fill('#layers input', first.name);
  expect(
    (await page.locator('#layers tbody tr').count()) >= 1,
    'the layer that was looked for is not shown',
  );
  await page.fill('#layers input', '');
}

async function memory() {
  const map = 'canvas[data-map="plan"]',
    box = await visible(map);
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  expect(
    /step \d+:.*live/.test(await tip_text()),
    `no step below the mouse: '${await tip_text()}'`,
  );
  const shared = await page.evaluate((selector) => {
    // a point where an output lies over its input
    const { view } = document.querySelector(selector);
    for (const buffer of view.shown) {
      for (const { buffer: other, over } of view.overlaps(buffer)) {
        const [a, b] = [view.box(buffer), view.box(other)];
        const left = Math.max(a.x, b.x),
          right = Math.min(a.x + a.width, b.x + b.width);
        const top = Math.max(a.y, b.y),
          bottom = Math.min(a.y + a.height, b.y + b.height);
        if (over && right - left > 2 && bottom - top > 2)
          return [(left + right) / 2, (top + bottom) / 2];
      }
    }
    return null;
  }, map);
  if (shared) {
    await page.mouse.move(box.x + shared[0], box.y + shared[1]);
    expect(
      /written over [\d,]+ B of .* no error|taken over by/s.test(await tip_text()),
      `an overlap is not explained: '${await tip_text()}'`,
    );
  }
  const whole = await canvas(map).getAttribute('data-view');
  await page.locator('#memory button[data-zoom="+"]').click();
  await page.waitForFunction(
    ([s, v]) => document.querySelector(s).dataset.view !== v,
    [map, whole],
  );
  await canvas(map).focus();
  await page.keyboard.press('0');
  await page.waitForFunction(
    ([s, v]) => document.querySelector(s).dataset.view === v,
    [map, whole],
  );
  if (json.loops.length > 0) {
    await page.locator('#memory button[data-choice="folded"]').click();
    await page.waitForFunction((s) => document.querySelector(s).dataset.folded !== '', map);
    await page.locator('#memory button[data-choice="open"]').click();
    await page.waitForFunction((s) => document.querySelector(s).dataset.folded === '', map);
  }
  if (json.estimate) {
    await page.locator('#memory button[data-choice="time"]').click();
    await page.waitForFunction((s) => document.querySelector(s).dataset.scale === 'time', map);
    await page.locator('#memory button[data-choice="steps"]').click();
  }
  if (json.before) {
    await page.locator('#memory button[data-choice="both"]').click();
    await page.waitForFunction(
      () => document.querySelector('canvas[data-map="before"]').dataset.view,
    );
  }
}

async function graph() {
  await visible('#graph canvas');
  await page.waitForSelector('#graph canvas[data-state="ready"]', { timeout: 60000 });
  const before = await canvas('#graph canvas').getAttribute('data-scale');
  await canvas('#graph canvas').focus();
  await page.keyboard.press('+');
  await page.waitForFunction(
    (v) => document.querySelector('#graph canvas').dataset.scale !== v,
    before,
  );
  await page.fill('#graph input', json.layers.find((layer) => layer.of_network).operator);
  expect(
    /^[1-9]\d* found/.test(await page.locator('#graph .controls .muted').innerText()),
    'an operator of the graph is not found',
  );
  const box = await visible('#graph canvas');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2);
  expect(
    (await tip_text())
      .toLowerCase()
      .includes(json.layers.find((layer) => layer.of_network).operator.toLowerCase()),
    `no operator below the mouse: '${await tip_text()}'`,
  );
}

async function shoot(name, options = {}) {
  if (pictures !== '-') await page.screenshot({ path: join(pictures, `${name}.png`), ...options });
}

const is_plan = ['compile', 'plan'].includes(json.thimble_report);
await shoot('light');
if (is_plan) {
  const network = json.layers.some((layer) => layer.of_network);
  for (const part of [
    json.layers.length > 0 ? layers : null,
    memory,
    network ? graph : null,
  ].filter(Boolean)) {
    try {
      await part();
    } catch (error) {
      faults.push(`${part.name}: ${error.message}`);
    }
  }
}
await page.locator('#theme').click();
expect(
  (await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark',
  'the switch does not make it dark',
);
for (const id of await page.$$eval('main > section', (all) => all.map((s) => s.id))) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.waitForTimeout(120);
  if (pictures !== '-')
    await page.locator(`#${id}`).screenshot({ path: join(pictures, `dark_${id}.png`) });
}
await page.locator('#theme').click();
for (const id of pictures === '-'
  ? []
  : await page.$$eval('main > section', (all) => all.map((s) => s.id))) {
  await page.locator(`#${id}`).screenshot({ path: join(pictures, `light_${id}.png`) });
}
await page.setViewportSize({ width: 420, height: 900 });
await page.waitForTimeout(200);
expect(
  await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1),
  'a narrow window has to be scrolled sideways',
);
if (pictures !== '-') await page.evaluate(() => scrollTo(0, 0));
await shoot('narrow');
await browser.close();

console.log(`opened in ${milliseconds} ms, ${fields.length} figures`);
for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);
