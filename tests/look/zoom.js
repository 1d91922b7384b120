// zoom.js - put into a copy of a page: zooms and moves a picture by buttons, keys and the wheel, as a reader would, and says
// what did not happen, as check.js does.
'use strict';
(() => {
  const found = [];
  const expect = (what, holds, seen) => { if (!holds) found.push(`${what}: ${seen}`); };
  window.addEventListener('error', event => found.push(`error: ${event.message}`));
  // (A browser that only prints what it made of a page draws no frames.)
  window.requestAnimationFrame = draw => setTimeout(draw, 16);
  // What a click begins is done in two steps by then: each of these is due after the step that the page set before it, however long
  // the browser was kept from its work.
  const drawn = async () => { for (let i = 0; i < 3; i++) await new Promise(done => setTimeout(done, 30)); };

  const button = (svg, name) => [...svg.parentNode.querySelectorAll('.tools .go')].find(made => made.textContent === name);
  const xTicks = svg => {
    const bottom = svg.querySelector('.frame').y.baseVal.value + svg.querySelector('.frame').height.baseVal.value;
    return [...svg.querySelectorAll(':scope > text[text-anchor=middle]:not(.axis)')].filter(text => Number(text.getAttribute('y')) > bottom)
      .map(text => Number(text.textContent));
  };

  // The value under a point of the frame, as the page tells it.
  function readAt(svg, shareX, shareY) {
    const frame = svg.querySelector('.frame').getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent('pointermove', {clientX: frame.left + shareX * frame.width, clientY: frame.top + shareY * frame.height}));
    return document.querySelector('output.reading').textContent;
  }

  const valueAt = (svg, shareX) => Number(readAt(svg, shareX, 0.5).match(/, (-?[\d.e+-]+)/)[1]);
  const range = svg => valueAt(svg, 0.99) - valueAt(svg, 0.01);

  // Ticks stand where the page says that their value is.
  function ticksAreTrue(svg, what) {
    const frame = svg.querySelector('.frame').getBoundingClientRect();
    const [, , , size] = svg.dataset.x.split(' ').map(Number);
    for (const text of svg.querySelectorAll(':scope > text[text-anchor=middle]:not(.axis)')) {
      const box = text.getBoundingClientRect();
      if (box.top < frame.bottom - 1) continue;
      const share = ((box.left + box.right) / 2 - frame.left) / frame.width;
      if (share < 0.01 || share > 0.99) continue;
      const said = valueAt(svg, share);
      const about = Math.max(Math.abs(Number(text.textContent)) * 0.02, range(svg) * 0.03);
      expect(`${what}: a tick is where its value is (unit ${size})`, Math.abs(said - Number(text.textContent)) < about, `${text.textContent}, ${said}`);
    }
  }

  function marksCover(svg, what) {
    const frame = svg.querySelector('.frame').getBoundingClientRect();
    const marks = svg.querySelector('.marks').getBoundingClientRect();
    expect(`${what}: what is shown is in the frame`, marks.right > frame.left && marks.left < frame.right, `${marks.left} ${marks.right}`);
  }

  async function zoom(svg) {
    const title = svg.querySelector('title').textContent, before = range(svg), middle = valueAt(svg, 0.5);
    button(svg, '+').click();
    await drawn();
    const once = range(svg);
    expect(`${title}: + shows half of it`, once > 0 && once < 0.8 * before, `${once} of ${before}`);
    expect(`${title}: the middle stays where it is`, Math.abs(valueAt(svg, 0.5) - middle) <= 0.02 * Math.abs(before), `${middle}, ${valueAt(svg, 0.5)}`);
    expect(`${title}: what is in it is larger`, /scale\(2\)/.test(svg.querySelector('.marks').getAttribute('transform')), svg.querySelector('.marks').getAttribute('transform'));
    ticksAreTrue(svg, title);
    marksCover(svg, title);
    const shown = xTicks(svg).join(' ');
    button(svg, '+').focus();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    await drawn();
    expect(`${title}: an arrow key moves it`, xTicks(svg).join(' ') !== shown, shown);
    ticksAreTrue(svg, `${title}, moved`);
    for (let i = 0; i < 9; i++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    await drawn();
    await drawn();
    marksCover(svg, `${title}, at its end`);
    ticksAreTrue(svg, `${title}, at its end`);
    expect(`${title}: there is a way back`, !button(svg, 'all').hidden, 'hidden');
    button(svg, 'all').click();
    await drawn();
    await drawn();
    expect(`${title}: all of it again`, Math.abs(range(svg) - before) < 0.01 * before, `${range(svg)} of ${before}`);
    expect(`${title}: no way back from there`, button(svg, 'all').hidden, 'shown');
  }

  async function wheel(svg) {
    const frame = svg.querySelector('.frame').getBoundingClientRect(), where = [0.25, 0.5];
    const turn = ctrlKey => svg.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, ctrlKey, bubbles: true, cancelable: true,
      clientX: frame.left + where[0] * frame.width, clientY: frame.top + where[1] * frame.height}));
    const before = valueAt(svg, where[0]), ticks = xTicks(svg).join(' ');
    expect('a wheel alone scrolls the page', turn(false), 'held');
    await drawn();
    expect('and zooms nothing', xTicks(svg).join(' ') === ticks, xTicks(svg));
    for (let i = 0; i < 5; i++) {
      expect('Ctrl and the wheel are taken', !turn(true), 'left to the page');
      await drawn();
    }
    expect('the wheel zooms', xTicks(svg).join(' ') !== ticks, ticks);
    expect('what is under the pointer stays there', Math.abs(valueAt(svg, where[0]) - before) <= 0.01 * before, `${before}, ${valueAt(svg, where[0])}`);
    button(svg, 'all').click();
    await drawn();
  }

  window.addEventListener('load', async () => {
    document.querySelectorAll('details').forEach(details => { details.open = true; });
    const pictures = [...document.querySelectorAll('svg.plot')].filter(svg => svg.dataset.x);
    expect('pictures to zoom', pictures.length > 0, 0);
    for (const svg of pictures) await zoom(svg);
    await wheel(pictures[0]);
    document.querySelector('output.reading').hidden = true;
    const out = document.createElement('pre');
    out.id = 'found';
    out.textContent = found.length ? found.map(line => `WRONG ${line}`).join('\n') : `LOOKED AT ${pictures.length} pictures, zoomed`;
    parent.document.body.append(out);
  });
})();
