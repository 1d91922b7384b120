// pictures.js - what a browser that runs scripts adds to the pictures of a page: they tell what is under the pointer, become
// larger, and show a part of themselves: + and - (or Ctrl and the wheel) zoom, dragging and the arrow keys move. Panzoom
// keeps scale and place; here the axes follow.
'use strict';
(() => {
  const scaleMost = 64;
  const reading = page.element('output', {className: 'reading', hidden: true}, document.body);

  // ---- axes: a share of the frame, from 0 to 1, and a value ----

  // What plot.c writes: low, high, kind (1 logarithmic, 2 whole numbers), size and name of the unit.
  function axisOf(words) {
    const [low, high, kind, size, unit] = words.split(' ');
    return {low: Number(low), high: Number(high), logarithmic: kind === '1', whole: kind === '2', size: Number(size), unit};
  }

  function valueAt(axis, share) {
    return (axis.logarithmic ? axis.low * (axis.high / axis.low) ** share : axis.low + (axis.high - axis.low) * share) / axis.size;
  }

  function shareOf(axis, value) {
    const at = value * axis.size;
    return axis.logarithmic ? Math.log(at / axis.low) / Math.log(axis.high / axis.low) : (at - axis.low) / (axis.high - axis.low);
  }

  const words = (axis, share) => [Number(valueAt(axis, share).toPrecision(3)), axis.unit].filter(part => part !== '').join(' ');

  // Some six round numbers from low to high.
  function roundNumbers(low, high, whole) {
    const power = 10 ** Math.floor(Math.log10((high - low) / 6));
    let step = [1, 2, 5, 10].find(factor => (high - low) / (factor * power) <= 6) * power;
    if (whole) step = Math.max(step, 1);
    const numbers = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) numbers.push(Number((i * step).toPrecision(6)));
    return numbers;
  }

  function decades(low, high) {
    const numbers = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const factor of high / low > 100 ? [1] : [1, 2, 5])
        if (factor * 10 ** power >= low && factor * 10 ** power <= high) numbers.push(factor * 10 ** power);
    return numbers;
  }

  function ticksOf(axis, from, to) {
    const [low, high] = [valueAt(axis, from), valueAt(axis, to)].sort((a, b) => a - b);
    return axis.logarithmic && high / low > 5 ? decades(low, high) : roundNumbers(low, high, axis.whole);
  }

  // ---- the part of a picture that is shown ----

  const views = new WeakMap(); // of a picture: the shares of its frame that are seen
  const whole = {left: 0, right: 1, bottom: 0, top: 1, scale: 1};
  const viewOf = svg => views.get(svg) || whole;
  const number = (element, name) => Number(element.getAttribute(name));
  const boxOf = frame => ({x: number(frame, 'x'), y: number(frame, 'y'), width: number(frame, 'width'), height: number(frame, 'height')});

  function svgElement(name, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What lies in the frame goes into a pane of that size, to be moved in it; ticks and labels stay outside.
  function openPane(svg) {
    const box = boxOf(svg.querySelector('.frame'));
    const ticks = [...svg.querySelectorAll(':scope > .tick')].flatMap(tick => [tick, tick.nextElementSibling]);
    const outside = new Set([...ticks, ...svg.querySelectorAll(':scope > :is(title,.title,.frame,.axis,[text-anchor=end])')]);
    const marks = svgElement('g', {class: 'marks'}, ...[...svg.children].filter(child => !outside.has(child)));
    svg.append(svgElement('svg', {...box, viewBox: Object.values(box).join(' '), role: 'presentation'}, marks));
    const labels = svg.dataset.y ? [] : [...svg.querySelectorAll(':scope > [text-anchor=end]')];
    return {svg, box, marks, ticks, labels: labels.map(label => [label, number(label, 'y') - 4])};
  }

  function drawTicks(pane, view) {
    const {svg, box} = pane, bottom = box.y + box.height;
    pane.ticks.forEach(tick => tick.remove());
    pane.ticks = [];
    const add = (path, x, y, anchor, text) =>
      pane.ticks.push(svgElement('path', {class: 'tick', d: path}), svgElement('text', {x, y, 'text-anchor': anchor}, text));
    const place = (axis, tick, from, to) => (shareOf(axis, tick) - from) / (to - from);
    if (svg.dataset.x) {
      const axis = axisOf(svg.dataset.x);
      for (const tick of ticksOf(axis, view.left, view.right)) {
        const x = box.x + box.width * place(axis, tick, view.left, view.right);
        add(`M${x} ${bottom}v4`, x, bottom + 15, 'middle', tick);
      }
    }
    if (svg.dataset.y) {
      const axis = axisOf(svg.dataset.y);
      for (const tick of ticksOf(axis, view.bottom, view.top)) {
        const y = bottom - box.height * place(axis, tick, view.bottom, view.top);
        add(`M${box.x} ${y}h-4`, box.x - 6, y + 4, 'end', tick);
      }
    }
    svg.append(...pane.ticks);
  }

  function drawLabels({box, labels}, view) {
    for (const [label, y] of labels) {
      const at = box.y + view.scale * (y - box.y - (1 - view.top) * box.height);
      label.setAttribute('y', at + 4);
      label.style.visibility = at < box.y || at > box.y + box.height ? 'hidden' : '';
    }
  }

  // `x`, `y`: by how much of the frame what it holds is moved, before it is made larger.
  function draw(pane, x, y, scale) {
    const {svg, box, marks} = pane;
    const view = {left: -x, right: 1 / scale - x, top: 1 + y, bottom: 1 + y - 1 / scale, scale};
    views.set(svg, view);
    marks.setAttribute('transform', `translate(${box.x} ${box.y}) scale(${scale}) translate(${x * box.width - box.x} ${y * box.height - box.y})`);
    marks.style.setProperty('--zoom', scale);
    svg.style.touchAction = scale > 1 ? 'none' : '';
    svg.style.cursor = scale > 1 ? 'grab' : '';
    drawTicks(pane, view);
    drawLabels(pane, view);
  }

  // Panzoom of a picture, in pixels of the screen; what is outside the frame is never shown.
  function zoomer(svg, changed) {
    const pane = openPane(svg), frame = svg.querySelector('.frame');
    const within = (at, scale) => Math.min(0, Math.max(1 / scale - 1, at));
    function setTransform(_, {x, y, scale}) {
      const {width, height} = frame.getBoundingClientRect();
      const shareX = within(x / width, scale), shareY = within(y / height, scale);
      draw(pane, shareX, shareY, scale);
      changed(scale);
      if (Math.abs(shareX * width - x) + Math.abs(shareY * height - y) > 0.01) panzoom.pan(shareX * width, shareY * height);
    }
    const panzoom = Panzoom(pane.marks, {noBind: true, minScale: 1, maxScale: scaleMost, cursor: '', touchAction: '', setTransform});
    svg.addEventListener('pointerdown', event => { if (panzoom.getScale() > 1 && event.button === 0) panzoom.handleDown(event); });
    document.addEventListener('pointermove', panzoom.handleMove);
    for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, panzoom.handleUp);
    return panzoom;
  }

  // ---- what is under the pointer ----

  // The label of the row that the pointer is in.
  function rowAt(svg, y) {
    let nearest = null, least = Infinity;
    for (const label of svg.querySelectorAll('text[text-anchor=end]')) {
      const box = label.getBoundingClientRect();
      const away = Math.abs((box.top + box.bottom) / 2 - y);
      if (away < least) [least, nearest] = [away, label];
    }
    return nearest ? nearest.textContent : '';
  }

  // What the caption says of a colour.
  function meaningOf(svg, part) {
    const name = part.getAttribute('class');
    const key = name && svg.parentNode.querySelector(`figcaption .key .${CSS.escape(name)}`);
    const said = key ? key.closest('.key').nextSibling : null;
    if (!said) return '';
    return (/^h\d$/.test(name) ? 'from ' : '') + said.textContent.trim();
  }

  function read(svg, event) {
    const frame = svg.querySelector('.frame').getBoundingClientRect(), view = viewOf(svg);
    const x = (event.clientX - frame.left) / frame.width, y = (frame.bottom - event.clientY) / frame.height;
    reading.hidden = !(x >= 0 && x <= 1 && y >= 0 && y <= 1);
    if (reading.hidden) return;
    const height = svg.dataset.y && words(axisOf(svg.dataset.y), view.bottom + y * (view.top - view.bottom));
    const row = svg.classList.contains('ranks') ? `rank ${Math.round(Number(height))}` : height || rowAt(svg, event.clientY);
    reading.textContent = [row, svg.dataset.x && words(axisOf(svg.dataset.x), view.left + x * (view.right - view.left)), meaningOf(svg, event.target)]
      .filter(Boolean).join(', ');
    reading.style.left = `${Math.min(event.clientX + 14, window.innerWidth - reading.offsetWidth - 4)}px`;
    reading.style.top = `${event.clientY + 14}px`;
  }

  // ---- what a reader can do ----

  // Zoom of one picture: made when it is first wanted. (Panzoom moves to its start a moment after it was made.)
  function zoomOf(svg, changed) {
    const frame = svg.querySelector('.frame');
    let panzoom = null, ready = null;
    function made() {
      if (!ready) {
        panzoom = zoomer(svg, changed);
        ready = new Promise(resolve => setTimeout(resolve));
      }
      return ready;
    }
    return {
      // By a factor; the point of the frame at these shares stays where it is.
      async by(factor, x = 0.5, y = 0.5) {
        await made();
        const scale = Math.min(scaleMost, Math.max(1, panzoom.getScale() * factor));
        const {width, height} = frame.getBoundingClientRect();
        panzoom.zoom(scale, {animate: false, focal: {x: x * width * scale, y: y * height * scale}});
      },
      async move(x, y) {
        await made();
        const {width, height} = frame.getBoundingClientRect(), scale = panzoom.getScale();
        panzoom.pan(x * width / scale, y * height / scale, {relative: true});
      },
      reset() { if (panzoom) panzoom.reset({animate: false}); },
      isZoomed: () => panzoom !== null && panzoom.getScale() > 1,
    };
  }

  const step = 0.25;
  const moves = {ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]};

  function onKey(zoom, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') zoom.by(2);
    else if (event.key === '-') zoom.by(1 / 2);
    else if (event.key === '0') zoom.reset();
    else if (zoom.isZoomed() && moves[event.key]) zoom.move(...moves[event.key]);
    else return;
    event.preventDefault();
  }

  function onWheel(svg, zoom, event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    const frame = svg.querySelector('.frame').getBoundingClientRect();
    zoom.by(event.deltaY < 0 ? 1.25 : 0.8, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
  }

  function addTools(svg) {
    const figure = svg.parentNode, title = svg.querySelector('title').textContent;
    const tools = page.element('span', {className: 'tools'}, figure);
    const all = page.link('all', () => zoom.reset(), `all of it again (0): ${title}`);
    const zoom = zoomOf(svg, scale => { all.hidden = scale === 1; });
    const larger = page.link('larger', () => {
      zoom.reset();
      larger.textContent = figure.classList.toggle('large') ? 'smaller' : 'larger';
    }, title);
    all.hidden = true;
    tools.append(all, page.link('+', () => zoom.by(2), `zoom in (+, Ctrl and wheel; then drag, or arrow keys): ${title}`),
      page.link('\u2212', () => zoom.by(1 / 2), `zoom out (-): ${title}`), larger);
    figure.addEventListener('keydown', event => onKey(zoom, event));
    svg.addEventListener('wheel', event => onWheel(svg, zoom, event), {passive: false});
  }

  for (const svg of document.querySelectorAll('svg.plot')) {
    svg.addEventListener('pointermove', event => read(svg, event));
    svg.addEventListener('pointerleave', () => { reading.hidden = true; });
    addTools(svg);
  }
})();
