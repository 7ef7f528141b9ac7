
// Files that the page writes: its picture as SVG and PNG, and its list as CSV. Each page has its own `csvRows`.

const FILE_LETTERS = 60;

/** Returns the picture of the window as SVG: the same functions draw on layers that record. */
function pictureSvg() {
  const kept = [baseLayer, transferLayer, labelLayer, fillLayer];
  const drawn = kept.map(() => new SvgLayer());
  [baseLayer, transferLayer, labelLayer, fillLayer] = drawn;
  try {
    drawPicture();
  } finally {
    [baseLayer, transferLayer, labelLayer, fillLayer] = kept;
  }
  const { scale, width, height } = camera;
  const box = [-camera.x / scale, -camera.y / scale, width / scale, height / scale].map(decimal);
  const svg = shape('svg', { viewBox: box.join(' '), width: Math.round(width), height: Math.round(height) });
  svg.append(shape('title', {}, document.title));
  svg.append(shape('rect', { x: box[0], y: box[1], width: box[2], height: box[3], fill: theme.colours.surface }));
  svg.append(...drawn.slice(0, 3).map(({ canvas }) => canvas.group));
  return svg;
}

/** Returns a name for a file: the network, and the place in the plan. */
function fileName(extension) {
  const words = [record.network, ...(record.collective ? [record.collective] : []), ...(state.step && extension !== 'csv' ? [`step ${state.step}`] : [])];
  const name = words.join(' ').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, FILE_LETTERS);
  return `${name || 'lockstep'}.${extension}`;
}

function saveFile(contents, extension) {
  const address = URL.createObjectURL(contents);
  const link = element('a', undefined, { href: address, download: fileName(extension) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function saveSvg() {
  saveFile(new Blob([new XMLSerializer().serializeToString(pictureSvg())], { type: 'image/svg+xml' }), 'svg');
}

function savePng() {
  const { canvas } = baseLayer;
  const image = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
  const layer = image.getContext('2d');
  layer.fillStyle = theme.colours.surface;
  layer.fillRect(0, 0, image.width, image.height);
  for (const drawn of layers) layer.drawImage(drawn.canvas, 0, 0);
  image.toBlob(blob => saveFile(blob, 'png'), 'image/png');
}

/** Returns a row of a CSV file. */
const csvLine = fields => fields.map(field => (/[",\n\r]/.test(String(field)) ? `"${String(field).replace(/"/g, '""')}"` : String(field))).join(',');

function saveCsv() {
  saveFile(new Blob([csvRows().map(csvLine).join('\n'), '\n'], { type: 'text/csv' }), 'csv');
}

function watchSave() {
  const clicks = { 'save-svg': saveSvg, 'save-png': savePng, 'save-csv': saveCsv, command: () => update({ tab: 'about' }) };
  for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener('click', action);
  const facts = record.details || record.properties;
  byId('command').hidden = !facts.some(([name]) => name.toLowerCase() === 'command');
}
