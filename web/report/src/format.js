// SPDX-License-Identifier: Apache-2.0
// Numbers with their units: short where they are compared, exact in the tooltip.

const grouped = (n) => Math.round(n).toLocaleString('en-US');
const isKnown = (n) => n !== null && n !== undefined;

function bytesText(n) {
  if (!isKnown(n)) return 'not known';
  if (Math.abs(n) < 1024) return `${n} B`;
  if (Math.abs(n) < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
  return `${(n / 1024 / 1024).toFixed(2)} MiB`;
}

function countText(n) {
  if (!isKnown(n)) return 'not known';
  const size = Math.abs(n);
  if (size < 1e4) return grouped(n);
  if (size < 1e6) return `${(n / 1e3).toFixed(1)} k`;
  if (size < 1e9) return `${(n / 1e6).toFixed(size < 1e7 ? 3 : 2)} M`;
  return `${(n / 1e9).toFixed(3)} G`;
}

function msText(ms) {
  if (!isKnown(ms)) return 'not known';
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 100
    ? `${ms.toFixed(0)} ms`
    : ms >= 1
      ? `${ms.toFixed(1)} ms`
      : `${ms.toFixed(3)} ms`;
}

const percentText = (p) => (isKnown(p) ? `${p.toFixed(1)} %` : '–');

const kinds = {
  bytes: [bytesText, (n) => `${grouped(n)} B`],
  count: [countText, (n) => grouped(n)],
  ms: [msText, (n) => `${n} ms`],
  percent: [percentText, (n) => `${n} %`],
};

/** A figure of the report, by its path in the JSON: "verdict.sram.needed_bytes". */
function figure(report, path, kind) {
  const value = path.split('.').reduce((at, key) => at?.[key], report);
  const [short, exact] = kinds[kind];
  return h(
    'span',
    {
      'data-field': path,
      'data-value': isKnown(value) ? String(value) : null,
      title: isKnown(value) ? exact(value) : null,
    },
    short(value),
  );
}

/** "1x12x12x64" */
const shapeText = (shape) => (shape.length === 0 ? 'scalar' : shape.join('×'));

/** "CONV_2D 4": the number is the operator's in the model's file. */
const stepName = (step) =>
  isKnown(step.number) ? `${step.operator} #${step.number}` : step.operator;
