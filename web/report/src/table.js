// SPDX-License-Identifier: Apache-2.0
// Tables: numbers to the right, headings that sort.

/** columns: [{name, meaning, number, value(row), cell(row), long}]; rows are objects. */
function dataTable(
  columns,
  rows,
  { sorted = -1, shown = 60, attributes = () => null, foot = null } = {},
) {
  let by = sorted,
    down = true,
    most = shown,
    kept = rows;
  const heads = columns.map((column, k) =>
    h(
      'th',
      { class: column.number ? 'number' : null, scope: 'col', title: column.meaning },
      h(
        'button',
        {
          type: 'button',
          onclick() {
            down = by === k ? !down : Boolean(column.number);
            by = k;
            draw();
          },
        },
        column.name,
      ),
    ),
  );
  const body = h('tbody'),
    more = h('button', {
      type: 'button',
      onclick() {
        most = Infinity;
        draw();
      },
    });
  const order = (a, b) => {
    const [x, y] = [a, b].map(
      (row) => columns[by].value(row) ?? (columns[by].number ? -Infinity : ''),
    );
    const less = columns[by].number
      ? x - y
      : String(x).localeCompare(String(y), 'en', { numeric: true });
    return down ? -less : less;
  };
  function draw() {
    const all = by < 0 ? kept : [...kept].sort(order);
    heads.forEach((head, k) =>
      k === by
        ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending')
        : head.removeAttribute('aria-sort'),
    );
    body.replaceChildren(
      ...all.slice(0, most).map((row) =>
        h(
          'tr',
          attributes(row),
          columns.map((column) =>
            h(
              'td',
              {
                class:
                  [column.number && 'number', column.long && 'long', column.nowrap && 'nowrap']
                    .filter(Boolean)
                    .join(' ') || null,
                title: column.long ? String(column.value(row) ?? '') : null,
              },
              column.cell ? column.cell(row) : column.value(row),
            ),
          ),
        ),
      ),
    );
    more.hidden = all.length <= most;
    more.textContent = `Show all ${all.length}`;
  }
  draw();
  const element = h(
    'div',
    null,
    h(
      'div',
      { class: 'scroll' },
      h('table', null, h('thead', null, h('tr', null, heads)), body, foot),
    ),
    more,
  );
  return {
    element,
    body,
    keep(wanted) {
      kept = rows.filter(wanted);
      draw();
    },
    showAll() {
      most = Infinity;
      draw();
    },
  };
}
