
// The timeline: a Gantt chart with one row per link. Only the visible rows are drawn.

const HEAD = record.time !== null || record.widths.length > 0 ? 34 : 22;
const LABEL = 132;
const NAMED_ROW = 12;
const MAX_ROW = 16;
const MAX_USES = 8000000;

const rowsFrame = byId('rows');
const rowsSpace = byId('rows-space');
const gantt = byId('gantt').getContext('2d');

/** The uses of each resource, by step: `start` has the first use of each resource. */
let uses = null;
let rowOrder = [];
let rowHeight = MAX_ROW;
let times = [0];
/** The width of the frame. Asking for it at every step makes the browser lay out the page twice. */
let rowsWidth = 0;

/** Sorts all channel uses by resource. The counts of `totals` give the places. */
function collectUses() {
  const total = totals.loads.reduce((sum, load) => sum + load, 0);
  if (total > MAX_USES) return;
  const start = new Uint32Array(record.resources + 1);
  totals.loads.forEach((load, resource) => { start[resource + 1] = start[resource] + load; });
  const next = start.slice();
  const [stepOf, messageOf, transferOf] = [new Uint32Array(total), new Uint32Array(total), new Uint32Array(total)];
  for (let index = 0; index < stepCount; index += 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      for (let at = pathStart(step, i); at !== step.end[i]; at += 1) {
        if (!exists(step.channels[at])) continue;
        const resource = network.resource[step.channels[at]];
        stepOf[next[resource]] = index;
        messageOf[next[resource]] = step.message[i];
        transferOf[next[resource]] = i;
        next[resource] += 1;
      }
    }
  }
  uses = { start, stepOf, messageOf, transferOf };
}

/** Returns the links that the isolated transfers use; null to show all links. */
function isolatedLinks() {
  if (!uses || !state.select || state.select.kind === 'link') return null;
  const links = new Uint8Array(record.resources);
  for (let index = 0; index < stepCount; index += 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      if (!isShown(step, i)) continue;
      for (const channel of pathOf(step, i)) {
        if (exists(channel)) links[network.resource[channel]] = 1;
      }
    }
  }
  return links;
}

function orderRows() {
  const isolated = isolatedLinks();
  const isRow = resource => channelsOf[resource].length > 0 && (isolated === null || isolated[resource] === 1);
  rowOrder = [...channelsOf.keys()].filter(isRow);
  if (!state.busiestFirst) return;
  const share = resource => totals.loads[resource] / capacityOf(resource);
  rowOrder.sort((one, other) => share(other) - share(one) || one - other);
}

function layOutTimeline() {
  times = stepTimes(state.bytes);
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

/** Scrolls to the selected link. */
function revealRow() {
  const row = state.select && state.select.kind === 'link' ? rowOrder.indexOf(state.select.id) : -1;
  const room = rowsFrame.clientHeight - HEAD;
  const isVisible = row * rowHeight >= rowsFrame.scrollTop && rowsFrame.scrollTop + room >= (row + 1) * rowHeight;
  if (row !== -1 && !isVisible) rowsFrame.scrollTop = row * rowHeight - room / 2;
}

const axisX = time => LABEL + (rowsWidth - LABEL - 14) * time / (times[stepCount] || 1);

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
  gantt.save();
  gantt.beginPath();
  gantt.rect(0, HEAD, width, height - HEAD);
  gantt.clip();
  rows.forEach((resource, place) => {
    const y = HEAD + (first + place) * rowHeight - rowsFrame.scrollTop;
    const isSelected = state.select && state.select.kind === 'link' && state.select.id === resource;
    if (isSelected || (rowHeight >= 4 && (first + place) % 2 === 1)) {
      gantt.fillStyle = isSelected ? colours.fresh : colours.switch;
      gantt.fillRect(0, y, width, rowHeight);
    }
    if (rowHeight >= NAMED_ROW) {
      gantt.font = `${Math.min(11, rowHeight - 1)}px system-ui, sans-serif`;
      gantt.textAlign = 'right';
      gantt.textBaseline = 'middle';
      gantt.fillStyle = totals.isReady && totals.loads[resource] === 0 ? colours.idle : colours.ink;
      gantt.fillText(clip(linkName(resource), 22), LABEL - 8, y + rowHeight / 2);
    }
    if (uses) drawRow(resource, y);
  });
  gantt.restore();
}

/** Draws the uses of a link. The uses of one step share its width; their height is the load of the link. */
function drawRow(resource, y) {
  const gap = rowHeight > 6 ? 1 : 0;
  const thickness = Math.max(rowHeight, 0.5);
  for (let use = uses.start[resource]; use !== uses.start[resource + 1];) {
    const index = uses.stepOf[use];
    let end = use;
    while (end !== uses.start[resource + 1] && uses.stepOf[end] === index) end += 1;
    const count = end - use;
    const [left, right] = [axisX(times[index]), axisX(times[index + 1])];
    const load = Math.min(1, count / (capacityOf(resource) * widthOf(index)));
    const height = Math.max(0.5, (thickness - 2 * gap) * load);
    const slices = Math.min(count, Math.max(1, Math.floor(right - left)));
    for (let slice = 0; slice !== slices; slice += 1) {
      const place = use + Math.floor(slice * count / slices);
      gantt.globalAlpha = isShown(stepAt(index), uses.transferOf[place]) ? 1 : 0.12;
      gantt.fillStyle = colourOf(uses.messageOf[place]);
      const size = (right - left) / slices;
      gantt.fillRect(left + slice * size + gap / 2, y + rowHeight - gap - height, Math.max(0.7, size - gap), height);
    }
    use = end;
  }
  gantt.globalAlpha = 1;
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
    const [left, right] = [axisX(times[index]), axisX(times[index + 1])];
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
  const end = times[stepCount];
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
  const [left, right] = [axisX(times[state.step - 1]), axisX(times[state.step])];
  cursor.style.left = `${left}px`;
  cursor.style.width = `${Math.max(3, right - left)}px`;
}

const phaseColour = bits => [theme.colours.muted, theme.colours.reduce, theme.colours.broadcast, theme.colours.muted][bits];

/** Returns the step and the link below a point of the window. */
function timelineAt(event) {
  const box = rowsFrame.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const time = (x - LABEL) / (rowsFrame.clientWidth - LABEL - 14) * (times[stepCount] || 1);
  const after = times.findIndex(begin => begin > time);
  const isStep = x >= LABEL && after > 0;
  const row = y > HEAD ? Math.floor((y - HEAD + rowsFrame.scrollTop) / rowHeight) : -1;
  return { index: isStep ? after - 1 : -1, resource: row === -1 ? -1 : rowOrder[row] === undefined ? -1 : rowOrder[row] };
}

function watchTimeline() {
  rowsFrame.addEventListener('scroll', drawTimeline);
  rowsFrame.addEventListener('click', event => {
    const { index, resource } = timelineAt(event);
    if (index !== -1) update({ step: index + 1 });
    else if (resource !== -1) select('link', resource);
  });
  rowsFrame.addEventListener('pointermove', event => {
    const { index, resource } = timelineAt(event);
    const lines = [];
    if (resource !== -1) lines.push(`link ${linkName(resource)}`);
    if (index !== -1) lines.push(`step ${index + 1}${record.time ? `: ${seconds(times[index])} to ${seconds(times[index + 1])}` : ''}`);
    if (index !== -1 && resource !== -1 && uses) {
      for (let use = uses.start[resource]; use !== uses.start[resource + 1] && lines.length !== 7; use += 1) {
        if (uses.stepOf[use] === index) lines.push(transferText(stepAt(index), uses.transferOf[use]));
      }
      if (lines.length === 2) lines.push('idle');
    }
    if (lines.length > 0) showTip(lines, event.clientX, event.clientY);
    else hideTip();
  });
  rowsFrame.addEventListener('pointerleave', hideTip);
}
