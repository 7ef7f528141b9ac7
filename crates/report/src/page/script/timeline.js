
// The timeline: a Gantt chart with one row per link, or two rows per rank. Only the visible rows are drawn.

const HEAD = record.time !== null || record.widths.length > 0 ? 34 : 22;
const LABEL = 132;
const NAMED_ROW = 14;
const MAX_ROW = 16;

const rowsFrame = byId('rows');
const rowsSpace = byId('rows-space');
let gantt = byId('gantt').getContext('2d');

let rowOrder = [];
let rowHeight = MAX_ROW;
/** The clock of the schedule: see `clockOf`. */
let clock = { begin: [], end: [], last: 0, transfers: null };
/** The width of the frame. Asking for it at every step makes the browser lay out the page twice. */
let rowsWidth = 0;

/** Returns the rows that the isolated transfers use; null to show all rows. */
function isolatedRows() {
  if (!state.select || state.select.kind === (state.rows === 'links' ? 'link' : 'sender')) return null;
  const rows = new Uint8Array(ROWS[state.rows].count);
  for (let index = 0; index < stepCount; index += 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      if (isShown(step, i)) for (const row of ROWS[state.rows].of(step, i)) rows[row] = 1;
    }
  }
  return rows;
}

function orderRows() {
  const { count, isRow, capacity } = ROWS[state.rows];
  const uses = usesOf(state.rows);
  const isolated = uses ? isolatedRows() : null;
  rowOrder = Array.from({ length: count }, (_, row) => row).filter(row => isRow(row) && (isolated === null || isolated[row] === 1));
  if (!state.busiestFirst || !uses) return;
  const share = row => (uses.start[row + 1] - uses.start[row]) / capacity(row);
  rowOrder.sort((one, other) => share(other) - share(one) || one - other);
}

/** Computes the clock again if the size or the order has changed. */
function readClock() {
  const isAsynchronous = state.isAsynchronous && totals.isReady;
  const key = `${state.bytes} ${isAsynchronous}`;
  if (clock.key !== key) clock = { ...clockOf(state.bytes, isAsynchronous), key };
}

function layOutTimeline() {
  readClock();
  orderRows();
  rowsWidth = rowsFrame.clientWidth;
  byId('cursor').style.top = `${rowsFrame.offsetTop}px`;
  const [width, height] = [rowsWidth, rowsFrame.clientHeight];
  const ratio = window.devicePixelRatio || 1;
  Object.assign(gantt.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  Object.assign(gantt.canvas.style, { width: `${width}px`, height: `${height}px` });
  const room = (height - HEAD) / Math.max(1, rowOrder.length);
  rowHeight = state.allRows ? Math.min(MAX_ROW, room) : Math.max(NAMED_ROW, Math.min(MAX_ROW, Math.floor(room)));
  rowsSpace.style.height = `${HEAD + rowOrder.length * rowHeight}px`;
}

/** Returns the row of the selected object, or -1. */
function selectedRow() {
  if (state.rows === 'links') return selected('link');
  return selected('sender') === -1 ? -1 : 2 * selected('sender') + (state.direction === 'receives' ? 1 : 0);
}

/** Scrolls to the selected row. */
function revealRow() {
  const row = rowOrder.indexOf(selectedRow());
  const room = rowsFrame.clientHeight - HEAD;
  const isVisible = row * rowHeight >= rowsFrame.scrollTop && rowsFrame.scrollTop + room >= (row + 1) * rowHeight;
  if (row !== -1 && !isVisible) rowsFrame.scrollTop = row * rowHeight - room / 2;
}

const axisX = time => LABEL + (rowsWidth - LABEL - 14) * time / (clock.last || 1);

function drawTimeline() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [rowsFrame.clientWidth, rowsFrame.clientHeight];
  gantt.setTransform(ratio, 0, 0, ratio, 0, 0);
  gantt.clearRect(0, 0, width, height);
  drawRows(width, height);
  drawAxis(width);
  moveCursor();
}

function visibleRows() {
  const first = Math.floor(rowsFrame.scrollTop / rowHeight);
  const count = Math.ceil((rowsFrame.clientHeight - HEAD) / rowHeight) + 1;
  return { first, rows: rowOrder.slice(first, first + count) };
}

function drawRows(width, height) {
  const { colours } = theme;
  const { first, rows } = visibleRows();
  const uses = usesOf(state.rows);
  gantt.save();
  gantt.beginPath();
  gantt.rect(0, HEAD, width, height - HEAD);
  gantt.clip();
  rows.forEach((row, place) => {
    const y = HEAD + (first + place) * rowHeight - rowsFrame.scrollTop;
    const isSelected = selectedRow() === row;
    if (isSelected || (rowHeight >= 4 && (first + place) % 2 === 1)) {
      gantt.fillStyle = isSelected ? colours.fresh : colours.switch;
      gantt.fillRect(0, y, width, rowHeight);
    }
    if (rowHeight >= NAMED_ROW) {
      gantt.font = `${Math.min(11, rowHeight - 1)}px system-ui, sans-serif`;
      gantt.textAlign = 'right';
      gantt.textBaseline = 'middle';
      gantt.fillStyle = uses && uses.start[row] === uses.start[row + 1] ? colours.idle : colours.ink;
      gantt.fillText(clip(ROWS[state.rows].name(row), 22), LABEL - 8, y + rowHeight / 2);
    }
    if (uses && clock.transfers) drawTimedRow(uses, row, y);
    else if (uses) drawRow(uses, row, y);
  });
  gantt.restore();
}

/** Draws the uses of a row. The uses of one step share its width; their height is the load of the row. */
function drawRow(uses, row, y) {
  const gap = rowHeight > 6 ? 1 : 0;
  const thickness = Math.max(rowHeight, 0.5);
  for (let use = uses.start[row]; use !== uses.start[row + 1];) {
    const index = uses.stepOf[use];
    let end = use;
    while (end !== uses.start[row + 1] && uses.stepOf[end] === index) end += 1;
    const count = end - use;
    const [left, right] = [axisX(clock.begin[index]), axisX(clock.end[index])];
    const load = Math.min(1, count / (ROWS[state.rows].capacity(row) * widthOf(index)));
    const height = Math.max(0.5, (thickness - 2 * gap) * load);
    const slices = Math.min(count, Math.max(1, Math.floor(right - left)));
    for (let slice = 0; slice !== slices; slice += 1) {
      const place = use + Math.floor(slice * count / slices);
      gantt.globalAlpha = isShown(stepAt(index), uses.transferOf[place]) ? 1 : 0.12;
      gantt.fillStyle = colourOf(stepAt(index).message[uses.transferOf[place]]);
      const size = (right - left) / slices;
      gantt.fillRect(left + slice * size + gap / 2, y + rowHeight - gap - height, Math.max(0.7, size - gap), height);
    }
    use = end;
  }
  gantt.globalAlpha = 1;
}

/** Draws the uses of a row at the times of their transfers. Those at the same time are above each other. */
function drawTimedRow(uses, row, y) {
  const gap = rowHeight > 6 ? 1 : 0;
  const { begin, sent } = clock.transfers;
  const lanes = [];
  const placed = [];
  for (let use = uses.start[row]; use !== uses.start[row + 1]; use += 1) {
    const transfer = firstOf[uses.stepOf[use]] + uses.transferOf[use];
    let lane = lanes.findIndex(end => begin[transfer] >= end);
    if (lane === -1) lane = lanes.length;
    lanes[lane] = sent[transfer];
    placed.push({ use, transfer, lane });
  }
  const height = Math.max(0.5, (rowHeight - 2 * gap) / Math.max(1, lanes.length));
  for (const { use, transfer, lane } of placed) {
    const step = stepAt(uses.stepOf[use]);
    const [left, right] = [axisX(begin[transfer]), axisX(sent[transfer])];
    const box = [left + gap / 2, y + rowHeight - gap - (lane + 1) * height, Math.max(0.7, right - left - gap), height];
    gantt.globalAlpha = isShown(step, uses.transferOf[use]) ? 1 : 0.12;
    gantt.fillStyle = colourOf(step.message[uses.transferOf[use]]);
    gantt.fillRect(...box);
    gantt.globalAlpha = 1;
    if (!clock.isCritical.has(transfer)) continue;
    gantt.strokeStyle = theme.colours.ink;
    gantt.lineWidth = 1.5;
    gantt.strokeRect(...box);
  }
}

/** Without bandwidths and widths the steps themselves are the axis. */
const hasTicks = HEAD > 22;

function drawAxis(width) {
  const { colours } = theme;
  gantt.fillStyle = colours.surface;
  gantt.fillRect(0, 0, width, HEAD);
  gantt.font = '11px system-ui, sans-serif';
  gantt.textBaseline = 'middle';
  gantt.fillStyle = colours.muted;
  gantt.textAlign = 'right';
  gantt.fillText('step', LABEL - 8, 11);
  if (hasTicks) gantt.fillText(record.time ? 'time' : 'width', LABEL - 8, 25);
  gantt.textAlign = 'center';
  let free = 0;
  for (let index = 0; index < stepCount; index += 1) {
    const [left, right] = [axisX(clock.begin[index]), axisX(clock.end[index])];
    const bits = record.phases[index] || 0;
    if (bits > 0) {
      gantt.fillStyle = phaseColour(bits);
      gantt.fillRect(left, 0, Math.max(1, right - left), 3);
    }
    const middle = (left + right) / 2;
    const size = gantt.measureText(String(index + 1)).width + 8;
    if (middle - size / 2 >= free) {
      gantt.fillStyle = colours.ink;
      gantt.fillText(String(index + 1), middle, 11);
      free = middle + size / 2;
    }
  }
  if (hasTicks) drawTicks(width);
}

function drawTicks(width) {
  const end = clock.last;
  const text = time => (record.time ? seconds(time) : String(time));
  const room = Math.max(1, Math.floor((width - LABEL) / 90));
  const rough = (end || 1) / room;
  const power = 10 ** Math.floor(Math.log10(rough));
  const pitch = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
  const step = record.time ? pitch : Math.max(1, pitch);
  gantt.fillStyle = theme.colours.muted;
  for (let tick = 0; end + step / 1e6 >= tick * step; tick += 1) {
    gantt.textAlign = tick === 0 ? 'left' : 'center';
    gantt.fillRect(axisX(tick * step), HEAD - 3, 1, 3);
    gantt.fillText(text(tick * step), axisX(tick * step), 25);
  }
}

/** Marks the column of the shown step. */
function moveCursor() {
  const cursor = byId('cursor');
  cursor.hidden = stepCount === 0;
  if (stepCount === 0) return;
  const [left, right] = [axisX(clock.begin[state.step - 1]), axisX(clock.end[state.step - 1])];
  cursor.style.left = `${left}px`;
  cursor.style.width = `${Math.max(3, right - left)}px`;
}

const phaseColour = bits => [theme.colours.muted, theme.colours.reduce, theme.colours.broadcast, theme.colours.muted][bits];

/** Returns the step, the row and the time below a point of the window. */
function timelineAt(event) {
  const box = rowsFrame.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const time = (x - LABEL) / (rowsFrame.clientWidth - LABEL - 14) * (clock.last || 1);
  const place = y > HEAD ? Math.floor((y - HEAD + rowsFrame.scrollTop) / rowHeight) : -1;
  const row = rowOrder[place] === undefined ? -1 : rowOrder[place];
  const use = row === -1 || !clock.transfers ? -1 : useAt(row, time);
  const index = use === -1 ? clock.end.findIndex((end, step) => end > time && time >= clock.begin[step]) : usesOf(state.rows).stepOf[use];
  return { index: x >= LABEL ? index : -1, row, use };
}

/** Returns a use of a row at a time, or -1. */
function useAt(row, time) {
  const uses = usesOf(state.rows);
  for (let use = uses ? uses.start[row] : 0; uses && use !== uses.start[row + 1]; use += 1) {
    const transfer = firstOf[uses.stepOf[use]] + uses.transferOf[use];
    if (time >= clock.transfers.begin[transfer] && clock.transfers.sent[transfer] > time) return use;
  }
  return -1;
}

function describeUse({ index, row, use }) {
  const lines = [];
  const uses = usesOf(state.rows);
  if (row !== -1) lines.push(`${state.rows === 'links' ? 'link ' : ''}${ROWS[state.rows].name(row)}`);
  if (use !== -1) {
    const transfer = firstOf[index] + uses.transferOf[use];
    const { begin, sent } = clock.transfers;
    lines.push(`step ${index + 1}: ${seconds(begin[transfer])} to ${seconds(sent[transfer])}${clock.isCritical.has(transfer) ? ', critical' : ''}`);
    return [...lines, transferText(stepAt(index), uses.transferOf[use])];
  }
  if (index !== -1) lines.push(`step ${index + 1}${record.time ? `: ${seconds(clock.begin[index])} to ${seconds(clock.end[index])}` : ''}`);
  if (index === -1 || row === -1 || !uses || clock.transfers) return lines;
  for (let at = uses.start[row]; at !== uses.start[row + 1] && lines.length !== 7; at += 1) {
    if (uses.stepOf[at] === index) lines.push(transferText(stepAt(index), uses.transferOf[at]));
  }
  return lines.length === 2 ? [...lines, 'idle'] : lines;
}

/** Selects the object of a row. */
function selectRow(row) {
  if (state.rows === 'links') select('link', row);
  else update({ select: { kind: 'sender', id: row >> 1 }, direction: row & 1 ? 'receives' : 'sends' });
}

function watchTimeline() {
  rowsFrame.addEventListener('scroll', drawTimeline);
  rowsFrame.addEventListener('click', event => {
    const { index, row } = timelineAt(event);
    if (index !== -1) update({ step: index + 1 });
    else if (row !== -1) selectRow(row);
  });
  rowsFrame.addEventListener('pointermove', event => {
    const lines = describeUse(timelineAt(event));
    if (lines.length > 0) showTip(lines, event.clientX, event.clientY);
    else hideTip();
  });
  rowsFrame.addEventListener('pointerleave', hideTip);
}

/** Returns the visible part of the timeline as SVG. */
function timelineSvg() {
  const kept = gantt;
  const drawn = new SvgLayer();
  gantt = drawn;
  try {
    drawTimeline();
  } finally {
    gantt = kept;
  }
  const [width, height] = [rowsFrame.clientWidth, rowsFrame.clientHeight];
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}` });
  svg.append(drawn.canvas.group);
  return svg;
}
