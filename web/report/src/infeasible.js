// SPDX-License-Identifier: Apache-2.0
// The planner's "no": why, and what was tried instead.

function infeasibleSections() {
  return [
    section(
      'verdict',
      h('span', { class: 'badge bad', id: 'badge' }, 'Does not fit'),
      null,
      h('p', null, report.reason),
      isKnown(report.lower_bound_bytes)
        ? h(
            'p',
            null,
            'No plan of this planner is below ',
            figure(report, 'lower_bound_bytes', 'bytes'),
            '.',
          )
        : null,
    ),
    section(
      'advice',
      'What to try',
      report.alternatives.length
        ? 'Each was planned, laid out and verified with these options.'
        : 'Nothing that was tried helps.',
      report.alternatives.length ? alternativesTable(report.alternatives) : null,
    ),
    originSection(),
  ];
}
