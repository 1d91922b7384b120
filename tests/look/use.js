// use.js - put into a copy of a page: sorts, filters, follows links and points at pictures, as a reader would, and says
// what did not happen, as check.js does.
'use strict';
(() => {
  const found = [];
  const expect = (what, holds, seen) => { if (!holds) found.push(`${what}: ${seen}`); };
  window.addEventListener('error', event => found.push(`error: ${event.message}`));

  const units = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, B: 1, KiB: 1024, MiB: 1048576};
  const value = words => {
    const [, number, unit] = words.replace(/^\d+: /, '').match(/^[+x]?\s*(-?[\d.,]+)\s*([a-zA-Z]*)/) || [0, 'NaN', ''];
    return Number(number.replace(/,/g, '')) * (units[unit] || 1);
  };
  const table = () => document.querySelector('table.groups');
  const title = name => [...table().tHead.rows[0].cells].find(cell => cell.textContent === name);
  const column = cell => [...table().tBodies[0].rows].map(row => row.cells[cell.cellIndex].textContent);
  const falls = values => values.every((v, i) => i === 0 || !(v > values[i - 1]));

  function sortBy(name) {
    const head = title(name), before = column(head).slice().sort();
    for (const order of ['descending', 'ascending']) {
      head.click();
      const values = column(head).map(value).filter(v => !Number.isNaN(v));
      expect(`${name} ${order}`, falls(order === 'descending' ? values : values.reverse()), values);
      expect('aria-sort', head.getAttribute('aria-sort') === order, head.getAttribute('aria-sort'));
    }
    expect('no row is lost', JSON.stringify(column(head).sort()) === JSON.stringify(before), name);
  }

  function filterBy(words) {
    const input = document.querySelector('input[type=search]');
    input.value = words;
    input.dispatchEvent(new Event('input'));
    for (const row of table().tBodies[0].rows)
      expect(`filtered by ${words}`, row.hidden === !row.textContent.toLowerCase().includes(words), row.textContent);
    const shown = [...table().tBodies[0].rows].filter(row => !row.hidden).length;
    expect('some are left', words ? shown > 0 && shown < table().tBodies[0].rows.length : shown > 0, shown);
  }

  // In a report: findings lead to rows, ranks to pictures, rows to findings.
  function follow() {
    const rank = document.querySelector('li .go[data-rank]');
    expect('a finding names a rank', rank, 'none');
    if (!rank) return;
    rank.click();
    const marks = document.querySelectorAll('svg.ranks rect.chosen').length;
    expect('the rank is marked in pictures', marks > 0 && marks === document.querySelectorAll('svg.ranks').length, marks);
    expect('its rows are marked', document.querySelector('tr.chosen'), 'none');
    rank.click();
    expect('and no more', !document.querySelector('.chosen'), 'still');
    const why = document.querySelector('td .go:not([data-rank])');
    expect('a row leads to a finding', why, 'none');
    if (!why) return;
    why.click();
    expect('the finding is reached', document.activeElement.tagName === 'LI', document.activeElement.tagName);
    document.activeElement.querySelector('.go:not([data-rank])').click();
    const shown = [...table().tBodies[0].rows].filter(row => !row.hidden).length;
    expect('a finding leads to its rows', shown > 0 && shown < table().tBodies[0].rows.length, shown);
    filterBy('');
  }

  function point() {
    const svg = document.querySelector('svg.ranks') || document.querySelector('svg.plot');
    svg.scrollIntoView();
    const frame = svg.querySelector('.frame').getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent('pointermove', {clientX: frame.left + frame.width / 2, clientY: frame.top + frame.height / 2}));
    const reading = document.querySelector('output.reading');
    expect('what is under the pointer', !reading.hidden && /\d/.test(reading.textContent), reading.textContent);
    const before = svg.getBoundingClientRect().width;
    const larger = [...svg.parentNode.querySelectorAll('.tools .go')].pop();
    larger.click();
    expect('larger', svg.getBoundingClientRect().width > 1.2 * before, before);
    larger.click();
    expect('and as before', Math.abs(svg.getBoundingClientRect().width - before) < 1, before);
  }

  window.addEventListener('load', () => {
    const isReport = Boolean(title('wait'));
    (isReport ? ['wait', 'median', 'late', 'calls'] : ['change', 'A']).forEach(sortBy);
    const name = table().tBodies[0].rows[0].textContent.match(/MPI_[A-Za-z]+/)[0].toLowerCase();
    filterBy(name);
    filterBy('');
    if (isReport) follow();
    point();
    const out = document.createElement('pre');
    out.id = 'found';
    out.textContent = found.length ? found.map(line => `WRONG ${line}`).join('\n') : 'LOOKED AT all that it does';
    parent.document.body.append(out);
  });
})();
