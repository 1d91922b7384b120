// check.js - put into a copy of a page, looks at what the browser made of it and says what is wrong, a
// line each, in an element #found of the page around its frame. The script's data-width is the width that was meant.
'use strict';
(() => {
  const found = [];
  const wrong = (what, where) => found.push(`${what}: ${String(where).trim().slice(0, 80)}`);
  const width = Number(document.currentScript.dataset.width);

  window.addEventListener('error', event => wrong('error', event.message));

  const colour = words => (words.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

  function textIsReadable() {
    const paper = light(colour(getComputedStyle(document.body).backgroundColor));
    for (const element of document.querySelectorAll('h1,h2,p,li,th,td,b,span,small,summary,figcaption,svg text')) {
      if (!element.textContent.trim()) continue;
      const style = getComputedStyle(element);
      const ink = light(colour(element.namespaceURI.endsWith('svg') ? style.fill : style.color));
      if (contrast(ink, paper) < 4.5) wrong('contrast', `${element.tagName} ${element.textContent}`);
    }
  }

  function picturesSayWhatTheyShow() {
    for (const svg of document.querySelectorAll('svg:not([role=presentation])')) {
      const title = svg.querySelector('title')?.textContent || svg.getAttribute('aria-label');
      if (svg.getAttribute('role') !== 'img' || !title?.trim()) wrong('a picture without a name', svg.outerHTML);
    }
    for (const svg of document.querySelectorAll('svg.plot')) {
      const title = svg.querySelector('title')?.textContent;
      const axes = [...svg.querySelectorAll('text.axis')].filter(axis => axis.textContent.trim());
      if (axes.length !== 2) wrong('a picture without two axes', title);
      if (svg.querySelectorAll('text:not(.axis):not(.title)').length < 2) wrong('a picture without ticks', title);
      const frame = svg.getBoundingClientRect();
      for (const text of svg.querySelectorAll('text')) {
        const box = text.getBoundingClientRect();
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
          wrong('cut in a picture', `${title}: ${text.textContent}`);
      }
    }
  }

  function nothingIsCut() {
    const page = document.documentElement;
    if (window.innerWidth !== width) wrong('not the width that was meant', window.innerWidth);
    if (page.scrollWidth > page.clientWidth) wrong('wider than the window', page.scrollWidth);
    for (const box of document.querySelectorAll('.wide')) {
      if (width >= 1000 && box.scrollWidth > box.clientWidth) wrong('a table is cut', box.scrollWidth);
      for (const title of box.querySelectorAll('th'))
        if (/^(time|wait|late)$/.test(title.textContent) && title.getBoundingClientRect().right > width)
          wrong('a column that matters is off the screen', title.textContent);
    }
  }

  window.addEventListener('load', () => {
    document.querySelectorAll('details').forEach(details => { details.open = true; });
    textIsReadable();
    picturesSayWhatTheyShow();
    nothingIsCut();
    const out = document.createElement('pre');
    out.id = 'found';
    out.textContent = found.length ? found.map(line => `WRONG ${line}`).join('\n')
      : `LOOKED AT ${document.querySelectorAll('svg.plot').length} pictures`;
    parent.document.body.append(out);
  });
})();
