
// The picture of the network, on three canvases: network, contents, labels. Each page has its own `drawStep` for the contents.

const LINE = 3;
const ARROW = { length: 9, halfWidth: 4.5 };
const CHANNEL_ARROW = { length: 5, halfWidth: 2.2 };
const NAMED_SWITCHES = 64;
const MIN_LABEL_PIXELS = 6;
/** The size of names of switches in the picture, and the least one in pixels. */
const SWITCH_LABEL = 7;
const MIN_SWITCH_PIXELS = 9;
const SMALLEST_LINE = 0.6;
const MARGIN = 10;
/** The size of names beside their marks in pixels, and the room above them. */
const SPARSE_LABEL = 10;
const SPARSE_MARGIN = 18;
const SPARSE_SWITCHES = 16;
const DOT_PIXELS = 2;
const DOT_LEVELS = 12;
const LEAST_DOT = 1.8;
const DENSE_MARKS = 150;
/** The distance of opposite channels in the picture, and the distance in pixels below which they are one line. */
const LANE = 6;
const MERGED_LANES = 2.5;
/** A browser paints several strokes of some lines faster than one of all. */
const CHANNELS_PER_STROKE = 100;
/** From this number of channels on, those longer than this multiple of the median are pale. */
const MANY_CHANNELS = 400;
const FAR = 4;
const PALE = 0.22;

const frame = byId('picture');
const layers = ['base', 'transfers', 'labels'].map(id => byId(id).getContext('2d'));
let [baseLayer, transferLayer, labelLayer] = layers;

/** The part of the picture that is visible: `scale` pixels per unit of the picture, and the corner of the window. */
const camera = { scale: 1, x: 0, y: 0, width: 0, height: 0, isFitted: true };

function resizePicture() {
  const [width, height] = [Math.max(50, frame.clientWidth), Math.max(50, frame.clientHeight)];
  const ratio = window.devicePixelRatio || 1;
  Object.assign(camera, { width, height });
  for (const layer of layers) {
    Object.assign(layer.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(layer.canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  if (camera.isFitted) fitPicture();
}

function fitPicture() {
  const [width, height] = record.size;
  const scale = ([x, y]) => Math.min((camera.width - 2 * x) / width, (camera.height - 2 * y) / height, 3);
  camera.scale = scale([MARGIN, MARGIN]);
  // Names of constant size beside the marks need room around the picture.
  if (isSparse()) camera.scale = scale([sparse.isRound ? sparse.width + MARGIN : Math.max(MARGIN, sparse.width / 2), SPARSE_MARGIN]);
  camera.x = (camera.width - width * camera.scale) / 2;
  camera.y = (camera.height - height * camera.scale) / 2;
  camera.isFitted = true;
}

/** Zooms around a point of the window. */
function zoomPicture(factor, x = camera.width / 2, y = camera.height / 2) {
  const scale = Math.min(12, Math.max(0.02, camera.scale * factor));
  camera.x = x - (x - camera.x) * scale / camera.scale;
  camera.y = y - (y - camera.y) * scale / camera.scale;
  Object.assign(camera, { scale, isFitted: false });
  drawPicture();
}

function panPicture(dx, dy) {
  Object.assign(camera, { x: camera.x + dx, y: camera.y + dy, isFitted: false });
  drawPicture();
}

/** Moves a node into the middle if it is outside the window. */
function revealNode(node) {
  const mark = network.marks[node];
  const [x, y] = [camera.x + mark.x * camera.scale, camera.y + mark.y * camera.scale];
  const isInside = x > 20 && y > 20 && camera.width - 20 > x && camera.height - 20 > y;
  if (!isInside) panPicture(camera.width / 2 - x, camera.height / 2 - y);
}

/** Makes the units of a layer those of the picture. */
function useCamera(layer) {
  const ratio = window.devicePixelRatio || 1;
  const scale = camera.scale * ratio;
  layer.setTransform(scale, 0, 0, scale, camera.x * ratio, camera.y * ratio);
}

function clearLayer(layer) {
  layer.setTransform(1, 0, 0, 1, 0, 0);
  layer.clearRect(0, 0, layer.canvas.width, layer.canvas.height);
  useCamera(layer);
}

/** The width of a line in the picture, thick enough to be seen at this scale. */
const lineWidth = (width, least = SMALLEST_LINE) => Math.max(width, least / camera.scale);

function traceChannel(layer, channel, joins) {
  const { curve, curved } = network;
  const at = 8 * channel;
  if (joins) layer.lineTo(curve[at], curve[at + 1]);
  else layer.moveTo(curve[at], curve[at + 1]);
  if (curved[channel] === 1) {
    layer.bezierCurveTo(curve[at + 2], curve[at + 3], curve[at + 4], curve[at + 5], curve[at + 6], curve[at + 7]);
  } else {
    layer.lineTo(curve[at + 6], curve[at + 7]);
  }
}

function traceArrow(layer, channel, { length, halfWidth }) {
  const { curve, curved } = network;
  const at = 8 * channel;
  const from = curved[channel] === 1 ? at + 4 : at;
  const [tipX, tipY] = [curve[at + 6], curve[at + 7]];
  const [dx, dy] = [tipX - curve[from], tipY - curve[from + 1]];
  const size = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / size, dy / size];
  const [baseX, baseY] = [tipX - ux * length, tipY - uy * length];
  layer.moveTo(tipX, tipY);
  layer.lineTo(baseX - uy * halfWidth, baseY + ux * halfWidth);
  layer.lineTo(baseX + uy * halfWidth, baseY - ux * halfWidth);
  layer.closePath();
}

/** The channels without an opposite one, whose direction needs an arrow head, and the second ones of opposite pairs. */
const [oneWay, isReturn] = (() => {
  const hasReceivers = network.marks.length > nodeCount;
  const pairs = new Set();
  for (let channel = 0; channel < record.channels; channel += 1) pairs.add(network.tail[channel] * nodeCount + network.head[channel]);
  const alone = [];
  const second = new Uint8Array(record.channels);
  for (let channel = 0; channel < record.channels; channel += 1) {
    const [tail, head] = [network.tail[channel], network.head[channel]];
    const hasOpposite = pairs.has(head * nodeCount + tail);
    if (!hasReceivers && !hasOpposite && network.isWorking[channel] === 1) alone.push(channel);
    if (!hasReceivers && hasOpposite && tail > head) second[channel] = 1;
  }
  return [alone, second];
})();

/** The channels of large networks that are much longer than most, such as those around a torus. They are drawn pale. */
const isFar = (() => {
  const lengths = Float64Array.from({ length: record.channels }, (_, channel) => {
    const at = 8 * channel;
    return Math.hypot(network.curve[at + 6] - network.curve[at], network.curve[at + 7] - network.curve[at + 1]);
  });
  const median = lengths.slice().sort()[record.channels >> 1] || 0;
  return Uint8Array.from(lengths, length => Number(record.channels >= MANY_CHANNELS && length > FAR * median));
})();
const hasFar = isFar.includes(1);
const FAR_NOTE = 'Links much longer than most are pale';

/** Traces channels, a few per path. Of two opposite channels too close to be told apart, only one is traced. */
function strokeChannels(layer, channels) {
  const isMerged = MERGED_LANES > LANE * camera.scale;
  let traced = 0;
  layer.beginPath();
  for (const channel of channels) {
    if (isMerged && isReturn[channel] === 1) continue;
    traceChannel(layer, channel, false);
    traced += 1;
    if (traced % CHANNELS_PER_STROKE === 0) {
      layer.stroke();
      layer.beginPath();
    }
  }
  layer.stroke();
}

function drawBase() {
  clearLayer(baseLayer);
  const { colours } = theme;
  const kinds = [[], [], []];
  for (let channel = 0; channel < record.channels; channel += 1) kinds[network.isWorking[channel] === 0 ? 2 : isFar[channel]].push(channel);
  kinds.forEach((channels, kind) => {
    baseLayer.globalAlpha = kind === 1 ? PALE : 1;
    baseLayer.strokeStyle = kind === 2 ? colours.failed : colours.channel;
    baseLayer.setLineDash(kind === 2 ? [3, 2] : []);
    baseLayer.lineWidth = lineWidth(1);
    strokeChannels(baseLayer, channels);
  });
  baseLayer.globalAlpha = 1;
  baseLayer.setLineDash([]);
  baseLayer.beginPath();
  for (const channel of oneWay) traceArrow(baseLayer, channel, CHANNEL_ARROW);
  baseLayer.fillStyle = colours.muted;
  baseLayer.fill();
  drawFills();
}

function traceMark(layer, mark) {
  layer.roundRect(mark.x - mark.halfX, mark.y - mark.halfY, 2 * mark.halfX, 2 * mark.halfY, mark.corner);
}

/** Traces the lower part of a mark, up to a share of its height. */
function traceGauge(layer, mark, share) {
  const { x, y, halfX, halfY, corner } = mark;
  if (corner >= halfX && corner >= halfY) {
    const angle = Math.asin(1 - 2 * share);
    layer.moveTo(x + halfX * Math.cos(angle), y + halfY * Math.sin(angle));
    layer.arc(x, y, halfX, angle, Math.PI - angle);
  } else {
    const height = 2 * halfY * share;
    layer.roundRect(x - halfX, y + halfY - height, 2 * halfX, height, Math.min(corner, height / 2));
  }
}

const isDashed = mark => mark.role === RECEIVER || mark.role === FAILED;
const markGroups = [
  { marks: network.marks.filter(mark => mark.role === SWITCH), fill: 'switch', line: 'muted' },
  { marks: network.marks.filter(mark => mark.role === TERMINAL), fill: 'surface', line: 'mark' },
  { marks: network.marks.filter(mark => mark.role === RECEIVER), fill: 'surface', line: 'mark' },
  { marks: network.marks.filter(mark => mark.role === FAILED), fill: 'surface', line: 'failed' },
];

/** The marks without what they hold: steps do not change them, so they are drawn once. */
let fillLayer = document.createElement('canvas').getContext('2d');

/** Marks that are too small for shapes are rectangles. */
const isTiny = ({ marks }) => marks.length > 0 && DOT_PIXELS > camera.scale * marks[0].halfX && !isDashed(marks[0]);

/** Calls a function with the corner and the size of the rectangle of each mark, smaller by `inset` pixels on each side. */
function forRectangles(marks, inset, paint) {
  const pixel = 1 / camera.scale;
  for (const mark of marks) {
    const [halfX, halfY] = [mark.halfX, mark.halfY].map(half => Math.max(half, LEAST_DOT * pixel) - inset * pixel);
    paint(mark.x - halfX, mark.y - halfY, 2 * halfX, 2 * halfY);
  }
}

function drawFills() {
  Object.assign(fillLayer.canvas, { width: baseLayer.canvas.width, height: baseLayer.canvas.height });
  clearLayer(fillLayer);
  const rectangle = (...box) => fillLayer.fillRect(...box);
  for (const group of markGroups) {
    if (isTiny(group)) {
      fillLayer.fillStyle = theme.colours[group.line];
      forRectangles(group.marks, 0, rectangle);
    } else {
      fillLayer.beginPath();
      for (const mark of group.marks) traceMark(fillLayer, mark);
    }
    fillLayer.fillStyle = theme.colours[group.fill];
    if (isTiny(group)) forRectangles(group.marks, 0.5, rectangle);
    else fillLayer.fill();
  }
}

/** Draws the outlines of all marks that are not rectangles. */
function drawOutlines(layer) {
  for (const group of markGroups) {
    if (isTiny(group)) continue;
    layer.beginPath();
    for (const mark of group.marks) traceMark(layer, mark);
    layer.strokeStyle = theme.colours[group.line];
    layer.lineWidth = lineWidth(1.2);
    layer.setLineDash(group.marks.length > 0 && isDashed(group.marks[0]) ? [3, 2] : []);
    layer.stroke();
  }
  layer.setLineDash([]);
}

/** Colours rectangles by the shares of their terminals. */
function colourDots(layer, { fill, marks }, shareOf) {
  const [from, to] = [rgb(theme.colours[fill]), rgb(theme.colours.held)];
  const levels = Array.from({ length: DOT_LEVELS + 1 }, () => []);
  for (const mark of marks) levels[Math.round(shareOf(mark.node) * DOT_LEVELS)].push(mark);
  levels.forEach((level, place) => {
    if (place === 0) return;
    layer.fillStyle = `rgb(${from.map((value, k) => Math.round(value + (to[k] - value) * place / DOT_LEVELS)).join(' ')})`;
    forRectangles(level, 0.5, (...box) => layer.fillRect(...box));
  });
}

/** Fills terminals from below by their shares. */
function drawGauges(layer, marks, shareOf) {
  layer.beginPath();
  for (const mark of marks) {
    const share = shareOf(mark.node);
    if (share > 0) traceGauge(layer, mark, share);
  }
  layer.fillStyle = theme.colours.held;
  layer.fill();
}

/** Draws all marks, and outlines the chosen node; -1 is none. `shareOf` is null, or returns how full a terminal is. */
function drawMarks(layer, shareOf, chosen) {
  layer.setTransform(1, 0, 0, 1, 0, 0);
  layer.drawImage(fillLayer.canvas, 0, 0);
  useCamera(layer);
  for (const group of markGroups) {
    const canHold = shareOf && group.fill === 'surface' && group.marks.length > 0 && !isDashed(group.marks[0]);
    if (canHold && isTiny(group)) colourDots(layer, group, shareOf);
    else if (canHold) drawGauges(layer, group.marks, shareOf);
  }
  if (chosen === -1) return;
  layer.beginPath();
  for (const mark of network.marks) {
    if (mark.node === chosen) traceMark(layer, mark);
  }
  layer.strokeStyle = theme.colours.accent;
  layer.lineWidth = lineWidth(4, 2.5);
  layer.stroke();
}

/** Outlines the channels of a link; -1 is none. */
function drawSelectedLink(layer, resource) {
  if (resource === -1) return;
  layer.beginPath();
  for (const channel of channelsOf[resource]) traceChannel(layer, channel, false);
  layer.strokeStyle = theme.colours.accent;
  layer.lineWidth = lineWidth(8, 5);
  layer.globalAlpha = 0.35;
  layer.stroke();
  layer.globalAlpha = 1;
}

/** Draws the outlines of all marks, and their names: inside or beside them, or, in a small picture, those that find room. */
function drawLabels() {
  clearLayer(labelLayer);
  drawOutlines(labelLayer);
  labelLayer.textAlign = 'center';
  labelLayer.textBaseline = 'middle';
  labelLayer.lineJoin = 'round';
  if (isSparse()) drawSparseLabels();
  else drawAllLabels();
}

function drawAllLabels() {
  const layer = labelLayer;
  const { colours } = theme;
  const switches = network.marks.filter(mark => mark.role === SWITCH).length;
  const isClose = camera.scale * SWITCH_LABEL >= 10;
  for (const mark of network.marks) {
    const isSwitch = mark.role === SWITCH;
    const size = isSwitch ? Math.max(SWITCH_LABEL, MIN_SWITCH_PIXELS / camera.scale) : 11;
    if (isSwitch && switches > NAMED_SWITCHES && !isClose) continue;
    layer.font = `${size}px system-ui, sans-serif`;
    const text = clip(record.nodes[mark.node], 12);
    // A name that is larger than its room grows away from the mark.
    const outward = isSwitch ? (1 - SWITCH_LABEL / size) / 2 : 0;
    const x = mark.x + mark.labelX + Math.sign(mark.labelX) * outward * layer.measureText(text).width;
    const y = mark.y + mark.labelY + Math.sign(mark.labelY) * outward * size;
    layer.strokeStyle = colours.surface;
    layer.lineWidth = 2.5;
    if (mark.labelX !== 0 || mark.labelY !== 0) layer.strokeText(text, x, y);
    layer.fillStyle = mark.role === FAILED ? colours.failed : isSwitch ? colours.muted : colours.ink;
    layer.fillText(text, x, y);
  }
}

/** Returns the marks whose links all go up, so that the place below is free. */
function hangingMarks() {
  const { marks, tail, entered } = network;
  const hanging = new Set();
  const standing = new Set();
  for (let channel = 0; channel < record.channels; channel += 1) {
    const [from, to] = [marks[tail[channel]], marks[entered[channel]]];
    // Nearly level links cross the place below a mark, too.
    const rise = (to.y - from.y) - 0.2 * Math.abs(to.x - from.x);
    const fall = (from.y - to.y) - 0.2 * Math.abs(to.x - from.x);
    (rise > 0 ? hanging : standing).add(to);
    (fall > 0 ? hanging : standing).add(from);
  }
  return new Set([...hanging].filter(mark => !standing.has(mark)));
}

/**
 * Names of constant size beside their marks: the width of the longest one in pixels, the order in which they find room, the
 * marks with names below, and whether all marks are on one circle.
 */
const sparse = (() => {
  labelLayer.font = `${SPARSE_LABEL}px system-ui, sans-serif`;
  const { marks } = network;
  const switches = marks.filter(mark => mark.role === SWITCH);
  const named = [...marks.filter(mark => mark.role !== SWITCH), ...(switches.length > SPARSE_SWITCHES ? [] : switches)];
  const texts = named.map(mark => clip(record.nodes[mark.node], 12));
  const width = Math.max(0, ...texts.map(text => labelLayer.measureText(text).width));
  const middle = key => (Math.min(...marks.map(mark => mark[key])) + Math.max(...marks.map(mark => mark[key]))) / 2;
  const [middleX, middleY] = [middle('x'), middle('y')];
  const radii = marks.map(mark => Math.hypot(mark.x - middleX, mark.y - middleY));
  const isRound = marks.length > DENSE_MARKS && Math.min(...radii) > 0.97 * Math.max(...radii);
  return { named, texts, width, hanging: hangingMarks(), isRound, middleX, middleY };
})();

const isSparse = () => MIN_LABEL_PIXELS > 11 * camera.scale;

/** Returns the middle of a name of constant size: above its mark, below it, or outside of the circle of all marks. */
function sparsePlace(mark, width, size) {
  const distance = mark.halfY + 0.7 * size;
  if (!sparse.isRound) return [mark.x, sparse.hanging.has(mark) ? mark.y + distance : mark.y - distance];
  const [dx, dy] = [mark.x - sparse.middleX, mark.y - sparse.middleY];
  const [ux, uy] = [dx / Math.hypot(dx, dy), dy / Math.hypot(dx, dy)];
  return [mark.x + ux * (mark.halfX + 0.4 * size + width / 2), mark.y + uy * (mark.halfY + 0.8 * size)];
}

/**
 * Draws names of constant size beside their marks. A name without room is left out. All names take the room of the longest one, so
 * that their distances in a grid are equal.
 */
function drawSparseLabels() {
  const layer = labelLayer;
  const { colours } = theme;
  const size = SPARSE_LABEL / camera.scale;
  layer.font = `${size}px system-ui, sans-serif`;
  layer.lineWidth = size / 4;
  layer.strokeStyle = colours.surface;
  // In a large picture, names are as far apart as they are long, so that they do not hide the links.
  const space = network.marks.length > DENSE_MARKS ? 1 : 0;
  const width = sparse.width / camera.scale;
  const [gapX, gapY] = [width * (1 + space) + size / 2, size * (1 + 2 * space)];
  const cell = (x, y) => [Math.floor(x / gapX), Math.floor(y / gapY)];
  const taken = new Map();
  const isFree = (x, y) => {
    const [column, row] = cell(x, y);
    for (const near of [0, -1, 1].flatMap(dx => [0, -1, 1].map(dy => taken.get(`${column + dx} ${row + dy}`)))) {
      if (near && gapX > Math.abs(near[0] - x) && gapY > Math.abs(near[1] - y)) return false;
    }
    return true;
  };
  sparse.named.forEach((mark, place) => {
    const text = sparse.texts[place];
    const [x, y] = sparsePlace(mark, layer.measureText(text).width, size);
    if (!isFree(x, y)) return;
    taken.set(cell(x, y).join(' '), [x, y]);
    layer.fillStyle = mark.role === FAILED ? colours.failed : mark.role === SWITCH ? colours.muted : colours.ink;
    layer.strokeText(text, x, y);
    layer.fillText(text, x, y);
  });
}

function drawPicture() {
  // A finger moves a picture that is zoomed in; otherwise it scrolls the page.
  frame.classList.toggle('zoomed', !camera.isFitted);
  drawBase();
  drawStep();
  drawLabels();
}
