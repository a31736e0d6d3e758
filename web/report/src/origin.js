// SPDX-License-Identifier: Apache-2.0
// Where the figures come from, and what was proven: for a review.

function verifierText() {
  const v = report.verification;
  if (!v) return null;
  const words = v.right
    ? [
        'The plan is proven to compute the network: ',
        figure(report, 'verification.calls', 'count'),
        ' calls were followed over a model of the memories without inputs; ',
        figure(report, 'verification.checked_elements', 'count'),
        ' elements were checked where they are read: each is the one that the operator demands, lies in its buffer, and is not overwritten before its last use. Every output element is produced once',
        v.recomputed_elements > 0
          ? [
              ', but for ',
              figure(report, 'verification.recomputed_elements', 'count'),
              ' that are recomputed on purpose',
            ]
          : '',
        '. Parameters and packed constants were compared with the model.',
        report.lossy
          ? ' Sums of less than 32 bits were asked for: outputs are those of that arithmetic.'
          : ' Outputs are bit-identical to the reference arithmetic.',
      ]
    : ['The plan is NOT verified.'];
  return h(
    'p',
    { id: 'verifier', class: v.right ? 'good' : 'bad' },
    h('strong', null, v.right ? 'Verified. ' : 'Not verified. '),
    h('span', { style: { color: 'var(--text)' } }, words),
  );
}

function originSection() {
  const made = report.made_by;
  const save = h(
    'button',
    {
      type: 'button',
      id: 'save',
      onclick() {
        const url = URL.createObjectURL(
          new Blob([JSON.stringify(report, null, 1)], { type: 'application/json' }),
        );
        h('a', { href: url, download: 'report.json' }).click();
        setTimeout(() => URL.revokeObjectURL(url), 1000);
      },
    },
    'Save the figures as JSON',
  );
  return section(
    'origin',
    'Origin and proof',
    null,
    verifierText(),
    h(
      'dl',
      { class: 'facts' },
      [
        ['Command', h('code', null, made.command)],
        ['Thimble', `${made.version}, commit ${made.commit}`],
        ['Model', report.model ?? '–'],
        ['SHA-256 of the model', h('code', null, made.model_sha256 ?? 'several models, or none')],
      ].map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
    ),
    h('p', null, save),
    h(
      'details',
      null,
      h('summary', null, 'Licences of the libraries in this page'),
      document.getElementById('licences').content.cloneNode(true),
    ),
  );
}
