
// Files that a page writes: its picture as SVG and PNG, and its list as CSV. Each page has its own `pictureSvg`, `pictureImage`,
// `csvRows` and `fileWords`.

const FILE_LETTERS = 60;

/** Returns a name for a file from the words of the page. */
function fileName(extension) {
  const name = fileWords(extension).join(' ').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, FILE_LETTERS);
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
  pictureImage().toBlob(blob => saveFile(blob, 'png'), 'image/png');
}

/** Returns an empty image in the colour of the page. */
function blankImage(width, height) {
  const image = Object.assign(document.createElement('canvas'), { width, height });
  const layer = image.getContext('2d');
  layer.fillStyle = theme.colours.surface;
  layer.fillRect(0, 0, width, height);
  return image;
}

/** Returns a row of a CSV file. */
const csvLine = fields => fields.map(field => (/[",\n\r]/.test(String(field)) ? `"${String(field).replace(/"/g, '""')}"` : String(field))).join(',');

function saveCsv() {
  saveFile(new Blob([csvRows().map(csvLine).join('\n'), '\n'], { type: 'text/csv' }), 'csv');
}

function watchSave() {
  for (const [id, action] of Object.entries({ 'save-svg': saveSvg, 'save-png': savePng, 'save-csv': saveCsv })) {
    byId(id).addEventListener('click', action);
  }
}
