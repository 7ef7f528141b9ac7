
// Charts of a front, in SVG: curves or points over two axes.

/** The width follows the window. */
const [LEAST_WIDTH, MOST_WIDTH] = [320, 860];
const SIZE = { width: 0, height: 330, left: 82, right: 34, top: 30, bottom: 44 };
const LETTER = 6.4;
const NAME_HEIGHT = 13;
const SAMPLES = 240;
const DASHES = ['', '7 4', '2 3', '9 3 2 3'];

const FORMATS = {
  bytes: value => (value >= 1 ? sizeText(Number((value / 1024 ** Math.min(3, Math.floor(Math.log2(value) / 10))).toPrecision(3)) * 1024 ** Math.min(3, Math.floor(Math.log2(value) / 10))) : '0 B'),
  seconds,
  bytes_per_second: value => `${Number((value / 1e9).toPrecision(3))} GB/s`,
  number: value => value.toLocaleString('en', { maximumSignificantDigits: 6 }),
};

/** Returns the ticks of an axis between two values. */
function ticksOf(axis, [least, most]) {
  if (!axis.is_log) {
    const rough = (most - least) / Math.min(6, SIZE.width / 120) || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const pitch = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
    const first = Math.ceil(least / pitch - 1e-9);
    return Array.from({ length: Math.floor(most / pitch + 1e-9) - first + 1 }, (_, i) => (first + i) * pitch);
  }
  const base = axis.unit === 'bytes' ? 2 : 10;
  const [low, high] = [least, most].map(value => Math.log(value) / Math.log(base));
  const step = Math.max(1, Math.ceil((high - low) / Math.min(9, SIZE.width / 90)));
  const ticks = [];
  for (let power = Math.ceil(low - 1e-9); high + 1e-9 >= power; power += step) ticks.push(base ** power);
  if (ticks.length > 1 || base === 2) return ticks;
  return ticksOf({ ...axis, is_log: false }, [least, most]);
}

/** Returns the least and the greatest coordinate of all curves, with space around points. */
function rangeOf(chart, k) {
  const axis = k === 0 ? chart.x : chart.y;
  const values = chart.curves.flatMap(({ points }) => points.map(point => point[k])).filter(value => !axis.is_log || value > 0);
  let [least, most] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) [least, most] = [1, 2];
  if (axis.is_log) return least === most ? [least / 2, most * 2] : [least * (chart.is_scatter ? 0.9 : 1), most * (k === 1 ? 1.15 : 1)];
  const space = chart.is_scatter ? (most - least) * 0.07 || Math.abs(most) * 0.1 || 1 : 0;
  return [least - space, most + space];
}

/** Returns a function that places a value between two coordinates. */
function placing(axis, [least, most], [from, to]) {
  const scaled = value => (axis.is_log ? Math.log(Math.max(value, Number.MIN_VALUE)) : value);
  const [low, high] = [scaled(least), scaled(most)];
  return value => from + (to - from) * (scaled(value) - low) / (high - low || 1);
}

/** Draws a chart. Each design of it is a group with `data-design`. */
function chartOf(chart) {
  const { width, height, left, right, top, bottom } = SIZE;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': chart.title });
  svg.append(shape('text', { x: left, y: 17, class: 'heading' }, chart.title));
  const ranges = [0, 1].map(k => rangeOf(chart, k));
  const x = placing(chart.x, ranges[0], [left, width - right]);
  const y = placing(chart.y, ranges[1], [height - bottom, top]);
  for (const tick of ticksOf(chart.x, ranges[0])) {
    svg.append(shape('line', { x1: x(tick), x2: x(tick), y1: top, y2: height - bottom, class: 'grid' }));
    svg.append(shape('text', { x: x(tick), y: height - bottom + 16, class: 'tick middle' }, FORMATS[chart.x.unit](tick)));
  }
  for (const tick of ticksOf(chart.y, ranges[1])) {
    svg.append(shape('line', { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: 'grid' }));
    svg.append(shape('text', { x: left - 7, y: y(tick) + 4, class: 'tick end' }, FORMATS[chart.y.unit](tick)));
  }
  svg.append(shape('text', { x: (left + width - right) / 2, y: height - 8, class: 'tick middle' }, chart.x.label));
  svg.append(shape('text', { x: -(top + height - bottom) / 2, y: 13, transform: 'rotate(-90)', class: 'tick middle' }, chart.y.label));
  for (const curve of chart.curves) svg.append(curveOf(chart, curve, x, y));
  const samples = chart.is_scatter ? [] : chart.curves.map(({ points }) => samplesOf(points.map(([at, value]) => [x(at), y(value)])));
  const drawn = samples.flat();
  samples.forEach((places, number) => {
    const { design, name } = chart.curves[number];
    if (design === null && places.length > 0) svg.append(nameOf(name, places, drawn));
  });
  return svg;
}

/** Returns places along a curve, a few per piece. */
function samplesOf(places) {
  const pieces = Math.ceil(SAMPLES / Math.max(1, places.length));
  const shares = Array.from({ length: pieces }, (_, piece) => (piece + 1) / pieces);
  return places.flatMap(([toX, toY], i) => {
    const [fromX, fromY] = places[Math.max(0, i - 1)];
    return shares.map(t => [fromX + t * (toX - fromX), fromY + t * (toY - fromY)]);
  });
}

/** Returns the name of a curve at the place beside it where it covers the fewest points of all curves and names. */
function nameOf(name, places, drawn) {
  const width = LETTER * name.length;
  let best = null;
  for (let part = 1; part !== 10; part += 1) {
    const [x, y] = places[Math.floor((places.length - 1) * part / 10)];
    for (const [left, base] of [[x + 6, y + 16], [x - width - 6, y - 7], [x + 6, y - 7], [x - width - 6, y + 16]]) {
      const isInside = left > SIZE.left && SIZE.width - SIZE.right > left + width && base > SIZE.top + NAME_HEIGHT && SIZE.height - SIZE.bottom - 3 > base;
      if (!isInside) continue;
      const covered = drawn.filter(([px, py]) => px > left - 4 && left + width + 4 > px && py > base - NAME_HEIGHT && base + 5 > py).length;
      if (best === null || best.covered > covered) best = { left, base, covered };
    }
  }
  best = best || { left: places[0][0] + 6, base: places[0][1] + 16 };
  for (let at = 0; width > at; at += NAME_HEIGHT / 2) drawn.push([best.left + at, best.base - NAME_HEIGHT / 2]);
  return shape('text', { x: best.left, y: best.base, class: 'tick name' }, name);
}

function curveOf(chart, { design, name, points }, x, y) {
  const isDesign = design !== null;
  const group = shape('g', isDesign ? { 'data-design': design, class: 'design' } : { class: 'limit' });
  group.append(shape('title', {}, isDesign ? record.designs[design].name : name));
  if (isDesign) group.style.setProperty('--colour', `var(--colour-${design % record.colours.light.length})`);
  if (chart.is_scatter) {
    for (const [at, value] of points) {
      group.append(shape('circle', { cx: x(at), cy: y(value), r: 6 }));
      if (record.designs.length <= MOST_NUMBERS) group.append(shape('text', { x: x(at) + 9, y: y(value) - 5, class: 'tick' }, String(design + 1)));
    }
    return group;
  }
  const path = points.map(([at, value], i) => `${i === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  if (isDesign) group.append(shape('path', { d: path, class: 'wide' }));
  group.append(shape('path', { d: path, class: 'curve', 'stroke-dasharray': isDesign ? DASHES[design % DASHES.length] : '4 3' }));
  return group;
}
