
// The curve of busy links over the slider: one bar per step.

/** The width of the thumb of a slider in pixels. */
const THUMB = 16;

/** The share of links that carry a transfer in each step. */
let busyShares = null;

function sharesOfBusyLinks() {
  const links = channelsOf.filter(channels => channels.length > 0).length;
  return Float64Array.from({ length: stepCount }, (_, index) => loadsOf(index).reduce((sum, load) => sum + (load > 0 ? 1 : 0), 0) / Math.max(1, links));
}

/** Draws the bars. The thumb of the slider is in the middle of the bar of its step. */
function drawBusy() {
  const canvas = byId('busy');
  canvas.hidden = stepCount === 0;
  if (!totals.isReady || canvas.hidden) return;
  busyShares = busyShares || sharesOfBusyLinks();
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const layer = canvas.getContext('2d');
  layer.setTransform(ratio, 0, 0, ratio, 0, 0);
  const pitch = stepCount > 1 ? (width - THUMB) / (stepCount - 1) : 0;
  const bar = Math.max(0.7, Math.min(THUMB, 0.8 * pitch || THUMB));
  busyShares.forEach((share, index) => {
    layer.fillStyle = theme.colours[index + 1 === state.step ? 'accent' : 'held'];
    layer.fillRect(THUMB / 2 + index * pitch - bar / 2, height * (1 - share), bar, height * share);
  });
  canvas.title = `${percent(busyShares[state.step - 1])} of the links are busy in step ${state.step}`;
}
