
// The picture of the network, on three canvases: network, contents, labels. Each page has its own `drawStep` for the contents.

const LINE = 3;
const ARROW = { length: 9, halfWidth: 4.5 };
const CHANNEL_ARROW = { length: 5, halfWidth: 2.2 };
const NAMED_SWITCHES = 64;
const MIN_LABEL_PIXELS = 6;
const SMALLEST_LINE = 0.6;
const MARGIN = 10;
const SPARSE_LABEL = 10;
const DOT_PIXELS = 2;
const DOT_LEVELS = 12;
const LEAST_DOT = 1.8;

const frame = byId('picture');
const layers = ['base', 'transfers', 'labels'].map(id => byId(id).getContext('2d'));
const [baseLayer, transferLayer, labelLayer] = layers;

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
  const room = [camera.width - 2 * MARGIN, camera.height - 2 * MARGIN];
  camera.scale = Math.min(room[0] / width, room[1] / height, 3);
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

function clearLayer(layer) {
  const ratio = window.devicePixelRatio || 1;
  layer.setTransform(1, 0, 0, 1, 0, 0);
  layer.clearRect(0, 0, layer.canvas.width, layer.canvas.height);
  const scale = camera.scale * ratio;
  layer.setTransform(scale, 0, 0, scale, camera.x * ratio, camera.y * ratio);
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

/** The channels without an opposite one; their direction needs an arrow head. */
const oneWay = (() => {
  const hasReceivers = network.marks.length > nodeCount;
  const pairs = new Set();
  for (let channel = 0; channel < record.channels; channel += 1) pairs.add(network.tail[channel] * nodeCount + network.head[channel]);
  const alone = [];
  for (let channel = 0; channel < record.channels; channel += 1) {
    const hasOpposite = pairs.has(network.head[channel] * nodeCount + network.tail[channel]);
    if (!hasReceivers && !hasOpposite && network.isWorking[channel] === 1) alone.push(channel);
  }
  return alone;
})();

function drawBase() {
  clearLayer(baseLayer);
  const { colours } = theme;
  for (const isWorking of [1, 0]) {
    baseLayer.beginPath();
    for (let channel = 0; channel < record.channels; channel += 1) {
      if (network.isWorking[channel] === isWorking) traceChannel(baseLayer, channel, false);
    }
    baseLayer.strokeStyle = isWorking === 1 ? colours.channel : colours.failed;
    baseLayer.setLineDash(isWorking === 1 ? [] : [3, 2]);
    baseLayer.lineWidth = lineWidth(1);
    baseLayer.stroke();
  }
  baseLayer.setLineDash([]);
  baseLayer.beginPath();
  for (const channel of oneWay) traceArrow(baseLayer, channel, CHANNEL_ARROW);
  baseLayer.fillStyle = colours.muted;
  baseLayer.fill();
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

/** Paints marks of one group. A terminal is filled from below by its share, if `shareOf` is a function. */
function paintMarks(layer, { fill, line }, marks, shareOf) {
  const { colours } = theme;
  layer.beginPath();
  for (const mark of marks) traceMark(layer, mark);
  layer.fillStyle = colours[fill];
  layer.fill();
  if (shareOf && fill === 'surface' && marks.length > 0 && !isDashed(marks[0])) {
    layer.beginPath();
    for (const mark of marks) {
      const share = shareOf(mark.node);
      if (share > 0) traceGauge(layer, mark, share);
    }
    layer.fillStyle = colours.held;
    layer.fill();
  }
  layer.beginPath();
  for (const mark of marks) traceMark(layer, mark);
  layer.strokeStyle = colours[line];
  layer.lineWidth = lineWidth(1.2);
  layer.setLineDash(marks.length > 0 && isDashed(marks[0]) ? [3, 2] : []);
  layer.stroke();
}

/** Draws marks that are too small for shapes as rectangles. Their colour has the share of a terminal. */
function drawDots(layer, { fill, line, marks }, shareOf) {
  const { colours } = theme;
  const [from, to] = [rgb(colours[fill]), rgb(fill === 'surface' ? colours.held : colours[fill])];
  const pixel = 1 / camera.scale;
  layer.fillStyle = colours[line];
  const half = mark => [Math.max(mark.halfX, LEAST_DOT * pixel), Math.max(mark.halfY, LEAST_DOT * pixel)];
  for (const mark of marks) {
    const [halfX, halfY] = half(mark);
    layer.fillRect(mark.x - halfX, mark.y - halfY, 2 * halfX, 2 * halfY);
  }
  const levels = Array.from({ length: DOT_LEVELS + 1 }, () => []);
  for (const mark of marks) levels[shareOf ? Math.round(shareOf(mark.node) * DOT_LEVELS) : 0].push(mark);
  levels.forEach((level, place) => {
    layer.fillStyle = `rgb(${from.map((value, k) => Math.round(value + (to[k] - value) * place / DOT_LEVELS)).join(' ')})`;
    for (const mark of level) {
      const [halfX, halfY] = half(mark);
      layer.fillRect(mark.x - halfX + pixel / 2, mark.y - halfY + pixel / 2, 2 * halfX - pixel, 2 * halfY - pixel);
    }
  });
}

/** Draws all marks, and outlines the chosen node; -1 is none. `shareOf` is null, or returns how full a terminal is. */
function drawMarks(layer, shareOf, chosen) {
  for (const group of markGroups) {
    const isTiny = group.marks.length > 0 && DOT_PIXELS > camera.scale * group.marks[0].halfX && !isDashed(group.marks[0]);
    if (isTiny) drawDots(layer, group, shareOf);
    else paintMarks(layer, group, group.marks, shareOf);
  }
  layer.setLineDash([]);
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

/** Draws the names of nodes: inside or beside the marks, or, in a small picture, those that find room. */
function drawLabels() {
  clearLayer(labelLayer);
  labelLayer.textAlign = 'center';
  labelLayer.textBaseline = 'middle';
  labelLayer.lineJoin = 'round';
  if (11 * camera.scale >= MIN_LABEL_PIXELS) drawAllLabels();
  else drawSparseLabels();
}

function drawAllLabels() {
  const layer = labelLayer;
  const { colours } = theme;
  const switches = network.marks.filter(mark => mark.role === SWITCH).length;
  const isClose = camera.scale * 7 >= 10;
  for (const mark of network.marks) {
    const isSwitch = mark.role === SWITCH;
    const size = isSwitch ? 7 : 11;
    if (size * camera.scale < MIN_LABEL_PIXELS || (isSwitch && switches > NAMED_SWITCHES && !isClose)) continue;
    layer.font = `${size}px system-ui, sans-serif`;
    const text = clip(record.nodes[mark.node], 12);
    const [x, y] = [mark.x + mark.labelX, mark.y + mark.labelY];
    layer.strokeStyle = colours.surface;
    layer.lineWidth = 2.5;
    if (mark.labelX !== 0 || mark.labelY !== 0) layer.strokeText(text, x, y);
    layer.fillStyle = mark.role === FAILED ? colours.failed : isSwitch ? colours.muted : colours.ink;
    layer.fillText(text, x, y);
  }
}

/** Draws names of constant size above their marks. A name that would cover an earlier one is left out. */
function drawSparseLabels() {
  const layer = labelLayer;
  const size = SPARSE_LABEL / camera.scale;
  const taken = new Set();
  layer.font = `${size}px system-ui, sans-serif`;
  layer.lineWidth = size / 4;
  layer.strokeStyle = theme.colours.surface;
  layer.fillStyle = theme.colours.ink;
  const cells = (x, y, width) => {
    const found = [];
    for (let column = Math.floor((x - width / 2) / size); (x + width / 2) / size >= column; column += 1) {
      for (let row = Math.floor((y - size / 2) / size); (y + size / 2) / size >= row; row += 1) found.push(`${column} ${row}`);
    }
    return found;
  };
  for (const mark of network.marks) {
    if (mark.role === SWITCH) continue;
    const text = clip(record.nodes[mark.node], 12);
    const [x, y] = [mark.x, mark.y - mark.halfY - 0.7 * size];
    const needed = cells(x, y, layer.measureText(text).width);
    if (needed.some(cell => taken.has(cell))) continue;
    for (const cell of needed) taken.add(cell);
    layer.strokeText(text, x, y);
    layer.fillText(text, x, y);
  }
}

function drawPicture() {
  drawBase();
  drawStep();
  drawLabels();
}
