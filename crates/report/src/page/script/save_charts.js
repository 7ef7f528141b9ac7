
// The saved charts of a front, and the list of its designs.

/** The attributes of SVG that the style sheet sets. */
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'paint-order', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor'];

const shownCharts = () => [...byId('charts').children];

/** Returns all charts below each other as SVG, with the colours of the page as attributes. */
function pictureSvg() {
  const { width, height } = SIZE;
  const charts = shownCharts();
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height * charts.length}`, width, height: height * charts.length });
  svg.append(shape('title', {}, document.title));
  svg.append(shape('rect', { width, height: height * charts.length, fill: theme.colours.surface }));
  charts.forEach((chart, place) => {
    const copy = chart.cloneNode(true);
    const [drawn, copied] = [chart, copy].map(one => one.querySelectorAll('g, line, path, circle, text'));
    drawn.forEach((one, i) => {
      const style = getComputedStyle(one);
      for (const name of STYLES) copied[i].setAttribute(name, style.getPropertyValue(name));
      for (const name of ['class', 'style', 'data-design']) copied[i].removeAttribute(name);
    });
    Object.entries({ x: 0, y: place * height, width, height }).forEach(([name, value]) => copy.setAttribute(name, value));
    svg.append(copy);
  });
  return svg;
}

/** Returns all charts below each other in pixels. */
function pictureImage() {
  const ratio = window.devicePixelRatio || 1;
  const charts = shownCharts();
  const image = blankImage(Math.ceil(SIZE.width * ratio), Math.ceil(SIZE.height * charts.length * ratio));
  const layer = image.getContext('2d');
  charts.forEach((chart, place) => {
    layer.setTransform(ratio, 0, 0, ratio, 0, place * SIZE.height * ratio);
    chart.querySelectorAll('line, path, circle, text').forEach(one => paint(layer, one));
  });
  return image;
}

/** Draws an element of a chart on a canvas. */
function paint(layer, one) {
  const style = getComputedStyle(one);
  const at = name => Number(one.getAttribute(name));
  const [fill, stroke] = [style.fill, style.stroke].map(colour => (colour === 'none' ? 'transparent' : colour));
  Object.assign(layer, { fillStyle: fill, strokeStyle: stroke, lineWidth: parseFloat(style.strokeWidth), lineJoin: style.strokeLinejoin });
  layer.globalAlpha = Number(getComputedStyle(one.closest('g') || one).opacity);
  layer.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat));
  if (one.tagName === 'text') {
    layer.save();
    if (one.hasAttribute('transform')) layer.rotate(-Math.PI / 2);
    layer.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    layer.textAlign = { start: 'left', middle: 'center', end: 'right' }[style.textAnchor];
    layer.strokeText(one.textContent, at('x'), at('y'));
    layer.fillText(one.textContent, at('x'), at('y'));
    layer.restore();
    return;
  }
  const path = new Path2D(one.getAttribute('d') || undefined);
  if (one.tagName === 'line') {
    path.moveTo(at('x1'), at('y1'));
    path.lineTo(at('x2'), at('y2'));
  }
  if (one.tagName === 'circle') path.arc(at('cx'), at('cy'), at('r'), 0, 2 * Math.PI);
  layer.fill(path);
  layer.stroke(path);
}

/** Returns a row per design: its name and its facts. */
function csvRows() {
  const names = [...new Set(record.designs.flatMap(({ facts }) => facts.map(([name]) => name)))];
  const row = ({ name, facts }) => [name, ...names.map(wanted => (facts.find(([fact]) => fact === wanted) || ['', ''])[1])];
  return [['name', ...names], ...record.designs.map(row)];
}

const fileWords = () => [record.title];
