
// What each node holds: a matrix of nodes and messages, and the messages of one node.

const MAX_CELLS = 4000000;
const MATRIX_HEIGHT = 340;
const matrixFrame = byId('matrix-frame');
const matrix = byId('matrix').getContext('2d');
const cell = { width: 8, height: 8 };

function showHeld() {
  if (state.tab !== 'held') return;
  const held = holdingsAfter(state.step);
  byId('held-words').textContent = held ? `After step ${state.step}: ${progressText(held)}` : 'Reading the steps …';
  const hasMatrix = held && held.hasTable && MAX_CELLS >= terminals.length * record.messages;
  matrixFrame.hidden = !hasMatrix;
  byId('matrix-words').textContent = !held ? '' : hasMatrix
    ? `One row per terminal, one column per message. Blue: held${isSum ? ', the paler the fewer contributions' : ''}. Yellow: arrived in this step.`
    : 'The matrix of nodes and messages is too large to draw.';
  if (hasMatrix) drawMatrix(held);
  showNodeHeld(held);
}

function drawMatrix(held) {
  const [columns, rows] = [record.messages, terminals.length];
  const room = Math.max(100, matrixFrame.clientWidth - 4);
  cell.width = Math.max(1, Math.min(14, Math.floor(room / columns)));
  cell.height = Math.max(1, Math.min(14, Math.floor(MATRIX_HEIGHT / rows)));
  const colours = ['switch', 'held', 'fresh'].map(name => rgb(theme.colours[name]));
  const image = new ImageData(columns, rows);
  const paint = (row, column, colour, share) => {
    const at = 4 * (row * columns + column);
    for (let k = 0; k < 3; k += 1) image.data[at + k] = colours[0][k] + (colour[k] - colours[0][k]) * share;
    image.data[at + 3] = 255;
  };
  terminals.forEach((node, row) => {
    for (let message = 0; message < columns; message += 1) {
      const share = held.part(node, message);
      paint(row, message, colours[1], share === 0 ? 0 : 0.25 + 0.75 * share);
    }
  });
  held.arrivals((node, message) => paint(rowOf.get(node), message, colours[2], 1));
  Object.assign(matrix.canvas, { width: columns, height: rows });
  matrix.putImageData(image, 0, 0);
  Object.assign(matrix.canvas.style, { width: `${columns * cell.width}px`, height: `${rows * cell.height}px` });
}

const rowOf = new Map(terminals.map((node, row) => [node, row]));

/** Lists the arrivals at the selected node up to this step, latest first. */
function showNodeHeld(held) {
  const isNode = state.select && state.select.kind === 'sender';
  byId('node-heading').textContent = isNode ? `Arrivals at ${nodeName(state.select.id)}` : 'Select a node to list its arrivals.';
  const entries = [];
  let found = 0;
  for (let index = state.step - 1; isNode && held && index >= 0; index -= 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      if (step.receiver[i] !== state.select.id) continue;
      found += 1;
      if (entries.length === LISTED) continue;
      const message = step.message[i];
      entries.push({ text: `step ${index + 1}: ${messageName(message)}`, colour: colourOf(message), action: () => { if (isKnown(message)) select('message', message); } });
    }
  }
  const left = found - entries.length;
  fillRows(byId('node-held'), entries, left > 0 ? `and ${left.toLocaleString('en')} earlier` : isNode && found === 0 ? 'none' : '');
}

function watchMatrix() {
  const at = event => {
    const box = matrix.canvas.getBoundingClientRect();
    const [message, row] = [Math.floor((event.clientX - box.left) / cell.width), Math.floor((event.clientY - box.top) / cell.height)];
    return { message, node: terminals[row] };
  };
  matrix.canvas.addEventListener('pointermove', event => {
    const { message, node } = at(event);
    const held = holdingsAfter(state.step);
    if (!held || node === undefined || !isKnown(message)) return;
    const full = held.full[message];
    const count = held.held[held.place(node, message)];
    const words = isSum ? `${count} of ${full} contributions` : count === full ? 'holds it' : 'does not hold it';
    showTip([`terminal ${nodeName(node)}, ${messageName(message)}`, `after step ${state.step}: ${words}`], event.clientX, event.clientY);
  });
  matrix.canvas.addEventListener('pointerleave', hideTip);
  matrix.canvas.addEventListener('click', event => {
    const { message } = at(event);
    if (isKnown(message)) select('message', message);
  });
}
