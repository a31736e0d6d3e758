// SPDX-License-Identifier: Apache-2.0
// The page: its head, then a section for each question.

function planSections() {
  const network = report.layers.some((layer) => layer.of_network);
  const makers = [
    verdictSection,
    layersSection,
    memoryMapSection,
    network ? graphSection : null,
    report.front ? frontSection : null,
    adviceSection,
    originSection,
  ];
  return makers.filter(Boolean).map((make) => make());
}

function head(sections) {
  const title =
    report.model ?? `${report.models.length} model${report.models.length === 1 ? '' : 's'}`;
  document.title = `${title}: Thimble report`;
  const names = {
    verdict: 'Verdict',
    layers: 'Layers',
    memory: 'Memory',
    graph: 'Graph',
    front: 'Front',
    advice: 'Peak',
    origin: 'Origin',
    comparison: 'Overview',
    quality: 'Quality',
    formats: 'Formats',
    sensitivity: 'Layers',
    tensors: 'Tensors',
  };
  const links = sections
    .filter((s) => names[s.id])
    .map((s) => h('a', { href: `#${s.id}` }, names[s.id]));
  const about = [report.planner ? `planner ${report.planner}` : null, report.device ?? report.core]
    .filter(Boolean)
    .join(' · ');
  document
    .getElementById('top')
    .append(
      h('h1', { title }, title.split(/[\\/]/).at(-1)),
      h('span', { class: 'about' }, about),
      h('nav', { 'aria-label': 'Sections' }, links),
      h(
        'button',
        {
          type: 'button',
          id: 'theme',
          title: 'Dark or light (t)',
          'aria-label': 'Dark or light',
          onclick: () => theme.toggle(),
        },
        '◐',
      ),
    );
  document.addEventListener('keydown', (event) => {
    if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === 't') theme.toggle();
    const number = Number(event.key);
    if (number >= 1 && number <= links.length && !event.target.matches('canvas'))
      links[number - 1].click();
    if (event.key === 'Escape') {
      tip.hide();
      if (selection.layer >= 0) selection.select(selection.layer);
    }
  });
}

theme.apply();
const sections =
  report.thimble_report === 'compare'
    ? comparisonSections()
    : report.thimble_report === 'infeasible'
      ? infeasibleSections()
      : report.thimble_report === 'quantize'
        ? quantisationSections()
        : planSections();
head(sections);
document.getElementById('content').append(...sections);
document
  .getElementById('footer')
  .append(
    `thimble ${report.made_by.version} (commit ${report.made_by.commit}). This file is complete: it loads nothing. Keys: t dark or light, 1 to 9 sections, Escape.`,
  );
document.documentElement.dataset.ready = 'yes';
