
// The pointer on the picture. Each page has its own `busyChannels`, `describeNode`, `describeChannel` and `selectObject`.

const REACH = 7;
const CURVE_PIECES = 10;
const tip = byId('tip');

function distanceToPiece(x, y, ax, ay, bx, by) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy || 1;
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

function distanceToChannel(x, y, channel, limit) {
  const p = network.curve.subarray(8 * channel, 8 * channel + 8);
  const isBeside = (value, k) => Math.min(p[k], p[k + 2], p[k + 4], p[k + 6]) - limit > value
    || value > Math.max(p[k], p[k + 2], p[k + 4], p[k + 6]) + limit;
  const isFar = isBeside(x, 0) || isBeside(y, 1);
  if (isFar) return Infinity;
  if (network.curved[channel] === 0) return distanceToPiece(x, y, p[0], p[1], p[6], p[7]);
  let [best, lastX, lastY] = [Infinity, p[0], p[1]];
  for (let piece = 1; piece <= CURVE_PIECES; piece += 1) {
    const t = piece / CURVE_PIECES;
    const s = 1 - t;
    const weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    const at = coordinate => weights.reduce((sum, weight, k) => sum + weight * p[2 * k + coordinate], 0);
    const [nextX, nextY] = [at(0), at(1)];
    best = Math.min(best, distanceToPiece(x, y, lastX, lastY, nextX, nextY));
    [lastX, lastY] = [nextX, nextY];
  }
  return best;
}

/** Returns the node, or the channel with its transfers, below a point of the window. */
function objectAt(windowX, windowY) {
  const [x, y] = [(windowX - camera.x) / camera.scale, (windowY - camera.y) / camera.scale];
  const reach = REACH / camera.scale;
  const inside = network.marks.find(mark => mark.halfX + reach / 4 > Math.abs(x - mark.x) && mark.halfY + reach / 4 > Math.abs(y - mark.y));
  if (inside) return { node: inside.node };
  const transfers = busyChannels();
  let best = { distance: reach, channel: -1, isBusy: false };
  for (let channel = 0; channel < record.channels; channel += 1) {
    const distance = distanceToChannel(x, y, channel, reach);
    // A channel with a transfer comes before an idle one below the same pointer.
    const isBusy = transfers.has(channel);
    const isBetter = isBusy === best.isBusy ? best.distance > distance : isBusy && reach > distance;
    if (isBetter && reach > distance) best = { distance, channel, isBusy };
  }
  if (best.channel === -1) return null;
  return { channel: best.channel, transfers: transfers.get(best.channel) || [] };
}

function showTip(lines, x, y) {
  tip.textContent = lines.join('\n');
  tip.hidden = lines.length === 0;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > window.innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
}

const hideTip = () => { tip.hidden = true; };

function watchPointer() {
  let drag = null;
  /** The fingers on the picture: two of them zoom. */
  const fingers = new Map();
  const spread = () => {
    const [one, other] = [...fingers.values()];
    return { distance: Math.hypot(one.x - other.x, one.y - other.y), clientX: (one.x + other.x) / 2, clientY: (one.y + other.y) / 2 };
  };
  const inFrame = event => {
    const box = frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  frame.addEventListener('pointerdown', event => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    drag = { x: event.clientX, y: event.clientY, isMoved: false };
    frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener('pointermove', event => {
    if (fingers.size === 2 && fingers.has(event.pointerId)) {
      const before = spread();
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const after = spread();
      if (drag) drag.isMoved = true;
      if (before.distance > 0) zoomPicture(after.distance / before.distance, ...inFrame(after));
      return;
    }
    if (drag) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.isMoved && 4 > Math.hypot(dx, dy)) return;
      drag = { x: event.clientX, y: event.clientY, isMoved: true };
      hideTip();
      panPicture(dx, dy);
      return;
    }
    const found = objectAt(...inFrame(event));
    frame.style.cursor = found ? 'pointer' : 'grab';
    if (found) showTip(found.node === undefined ? describeChannel(found) : describeNode(found.node), event.clientX, event.clientY);
    else hideTip();
  });
  frame.addEventListener('pointerup', event => {
    fingers.delete(event.pointerId);
    if (drag && !drag.isMoved) selectObject(objectAt(...inFrame(event)));
    drag = null;
  });
  frame.addEventListener('pointercancel', event => {
    fingers.delete(event.pointerId);
    drag = null;
  });
  frame.addEventListener('pointerleave', hideTip);
  frame.addEventListener('wheel', event => {
    event.preventDefault();
    zoomPicture(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), ...inFrame(event));
  }, { passive: false });
}
