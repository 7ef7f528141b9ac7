
// The sizes of the parts of the page: dividers between them, and paper.

const LEAST_PART = 140;
const DIVIDER_KEYS = { ArrowLeft: 20, ArrowUp: 20, ArrowRight: -20, ArrowDown: -20 };

/** Lets a divider change the width or the height of the part after it. */
function watchDivider(divider, property, sizeOf, redraw) {
  const resize = (size, room) => {
    const most = Math.max(LEAST_PART, room - LEAST_PART);
    document.documentElement.style.setProperty(property, `${Math.round(Math.max(LEAST_PART, Math.min(most, size)))}px`);
    redraw();
  };
  let drag = null;
  const at = event => (property === '--side' ? event.clientX : event.clientY);
  divider.addEventListener('pointerdown', event => {
    drag = { from: at(event), ...sizeOf() };
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener('pointermove', event => { if (drag) resize(drag.size + drag.from - at(event), drag.room); });
  for (const name of ['pointerup', 'pointercancel']) divider.addEventListener(name, () => { drag = null; });
  divider.addEventListener('dblclick', () => {
    document.documentElement.style.removeProperty(property);
    redraw();
  });
  divider.addEventListener('keydown', event => {
    const change = DIVIDER_KEYS[event.key];
    if (!change) return;
    const { size, room } = sizeOf();
    resize(size + change, room);
    event.preventDefault();
    event.stopPropagation();
  });
}

/**
 * Connects the dividers of a page, and prepares it for paper. `redraw` draws all canvases in the new sizes, and `pictures` returns boxes
 * with the SVG pictures that replace their canvases on paper.
 */
function watchLayout(redraw, pictures) {
  const [aside, timeline] = [document.querySelector('aside'), byId('timeline')];
  watchDivider(byId('divider'), '--side', () => ({ size: aside.offsetWidth, room: byId('work').offsetWidth }), redraw);
  if (timeline) watchDivider(byId('divider-below'), '--below', () => ({ size: timeline.offsetHeight, room: byId('page').offsetHeight }), redraw);
  new ResizeObserver(redraw).observe(byId('page'));
  const onPaper = [];
  window.addEventListener('beforeprint', () => {
    theme.isPrinted = true;
    showTheme();
    for (const [box, svg] of pictures()) {
      svg.classList.add('paper');
      box.append(svg);
      onPaper.push(svg);
    }
  });
  window.addEventListener('afterprint', () => {
    for (const svg of onPaper.splice(0)) svg.remove();
    theme.isPrinted = false;
    showTheme();
  });
}
