// page.js - what a browser that runs scripts adds to a page: tables are sorted and filtered, and findings, ranks and rows lead
// to one another; pictures.js has the rest. The page says all it has to say without it. Tables are sorted by tablesort;
// nothing is loaded.
'use strict';
const page = (() => {
  const units = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40};

  // "1.25 ms", "12,345", "-3.1 %", "x0.59", "2: 43 %" (of rank 2), "< clock"; what says nothing comes last.
  function figure(words) {
    const found = words.replace(/^\d+: /, '').match(/^[<x+]?\s*(-?[\d.,]+(?:e[-+]?\d+)?)\s*([a-zA-Z]*)/);
    if (found) return Number(found[1].replace(/,/g, '')) * (units[found[2]] || 1);
    return words.startsWith('<') ? 0 : -Infinity;
  }
  Tablesort.extend('figure', () => false, (a, b) => figure(b) - figure(a) || 0);

  function element(name, properties, parent) {
    const made = Object.assign(document.createElement(name), properties);
    if (parent) parent.append(made);
    return made;
  }

  function goTo(target) {
    target.scrollIntoView({block: 'center'});
    target.focus({preventScroll: true});
  }

  // ---- tables ----

  function addFilter(table) {
    const rows = [...table.tBodies[0].rows].map(row => [row, row.textContent.toLowerCase()]);
    const line = element('p', {className: 'tools quiet'});
    const input = element('input', {type: 'search', placeholder: 'filter: operation, site, ...'});
    const count = element('span', {});
    input.setAttribute('aria-label', 'Rows that contain');
    line.append(input, ' ', count);
    table.closest('.wide').before(line);
    input.addEventListener('input', () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every(word => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : '';
    });
    return input;
  }

  function makeSortable(table) {
    for (const title of table.tHead.rows[0].cells)
      if (!title.classList.contains('l')) title.dataset.sortMethod = 'figure';
    new Tablesort(table, {descending: true});
  }

  // ---- findings, ranks and rows ----

  const groups = document.querySelector('table.groups');
  const filter = groups && groups.tBodies[0].rows.length > 1 ? addFilter(groups) : null;
  if (filter) makeSortable(groups);

  function siteOf(row) {
    const small = row.cells[0].querySelector('small');
    return small ? small.firstChild ? small.firstChild.textContent : '' : '';
  }

  // Calls at a site: the rows that name it are left.
  function showSite(site) {
    filter.value = site;
    filter.dispatchEvent(new Event('input'));
    goTo(filter);
  }

  function markRankInPicture(svg, rank) {
    const frame = svg.querySelector('.frame');
    const [low, high] = svg.dataset.y.split(' ').map(Number);
    const y = share => Number(frame.getAttribute('y')) + Number(frame.getAttribute('height')) * (1 - share);
    const at = [rank - 0.5, rank + 0.5].map(value => y((value - low) / (high - low)));
    const mark = document.createElementNS(svg.namespaceURI, 'rect');
    for (const [name, value] of Object.entries({class: 'chosen', x: frame.getAttribute('x'), width: frame.getAttribute('width'),
      y: Math.min(...at), height: Math.max(Math.abs(at[1] - at[0]), 2)})) mark.setAttribute(name, value);
    (svg.querySelector('.marks') || svg).append(mark);
  }

  let chosenRank = null;
  function showRank(rank) {
    document.querySelectorAll('rect.chosen').forEach(mark => mark.remove());
    document.querySelectorAll('.chosen').forEach(marked => marked.classList.remove('chosen'));
    chosenRank = chosenRank === rank ? null : rank;
    if (chosenRank === null) return;
    document.querySelectorAll('svg.plot text').forEach(label => {
      if (label.textContent === `rank ${rank}`) label.classList.add('chosen');
    });
    document.querySelectorAll('svg.ranks').forEach(svg => markRankInPicture(svg, rank));
    document.querySelectorAll('[data-rank]').forEach(link => {
      if (Number(link.dataset.rank) === rank) link.closest('tr, li').classList.add('chosen');
    });
  }

  function link(text, act, what) {
    const made = element('button', {className: 'go', textContent: text, title: what});
    made.addEventListener('click', act);
    return made;
  }

  function rankLink(text, rank) {
    const made = link(text, () => showRank(rank), `rank ${rank} in the pictures and rows`);
    made.dataset.rank = rank;
    return made;
  }

  const escaped = words => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

  // Ranks and sites that a finding names lead to them.
  function linkFinding(item, sites) {
    const named = sites.filter(site => item.textContent.includes(site)).sort((a, b) => b.length - a.length);
    const pattern = new RegExp(`(${[...named.map(escaped), '[Rr]ank \\d+'].join('|')})`);
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const parts = text.data.split(pattern);
      if (parts.length > 1)
        text.replaceWith(...parts.map((part, i) => i % 2 === 0 ? part
          : named.includes(part) ? link(part, () => showSite(part), 'the calls there')
          : rankLink(part, Number(part.match(/\d+/)[0]))));
    }
    return named;
  }

  function linkRows(findings) {
    const late = [...groups.tHead.rows[0].cells].findIndex(title => title.textContent === 'late');
    for (const row of groups.tBodies[0].rows) {
      const cell = late >= 0 ? row.cells[late] : null;
      const rank = cell && cell.textContent.match(/^(\d+)(?=: )/);
      if (rank) cell.replaceChildren(rankLink(rank[0], Number(rank[0])), cell.textContent.slice(rank[0].length));
      const finding = findings.get(siteOf(row));
      if (finding) row.cells[0].append(link('why', () => goTo(finding), 'the finding that names this place'));
    }
  }

  if (filter) {
    const sites = [...new Set([...groups.tBodies[0].rows].map(siteOf).filter(site => site.length > 1))];
    const findings = new Map();
    for (const item of document.querySelectorAll('li')) {
      item.tabIndex = -1;
      for (const site of linkFinding(item, sites))
        if (!findings.has(site)) findings.set(site, item);
    }
    linkRows(findings);
  }

  return {element, link};
})();
