
// The saved picture of a network or plan, and the button that shows the command.

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

/** Returns the picture of the window in its pixels. */
function pictureImage() {
  const { canvas } = baseLayer;
  const image = blankImage(canvas.width, canvas.height);
  for (const drawn of layers) image.getContext('2d').drawImage(drawn.canvas, 0, 0);
  return image;
}

/** Returns the words of the name of a file: the network, and the place in the plan. */
const fileWords = extension => [record.network, ...(record.collective ? [record.collective] : []), ...(state.step && extension !== 'csv' ? [`step ${state.step}`] : [])];

function watchCommand() {
  const facts = record.details || record.properties;
  byId('command').hidden = !facts.some(([name]) => name.toLowerCase() === 'command');
  byId('command').addEventListener('click', () => update({ tab: 'about' }));
}
