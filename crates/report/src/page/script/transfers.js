
// The contents of the picture of a plan: transfers or loads.

const placeOfKey = record.colours.keys === null ? null : new Map(record.colours.keys.map((key, place) => [key, place]));

/** Returns the place of a message's colour in the palette. */
function colourPlace(message) {
  if (!isKnown(message)) return 0;
  const key = record.colours.by_source ? sourceOf(message) : message;
  return placeOfKey ? placeOfKey.get(key) || 0 : key % theme.palette.length;
}

const colourOf = message => theme.palette[colourPlace(message)];

const heldShare = (held, node, message) => (message === -1 || !held.hasTable ? held.share(node) || 0 : held.part(node, message));

/** Groups the drawable transfers of a step by colour and dashes, so that each group is one stroke. */
function transferBatches(step, index) {
  const used = new Uint32Array(record.resources);
  const width = widthOf(index);
  const dim = { isDim: true, exceeds: false, colour: theme.colours.muted, transfers: [] };
  const batches = [];
  for (let i = 0; i < step.count; i += 1) {
    if (step.isDrawable[i] === 0) continue;
    let exceeds = 0;
    for (let at = pathStart(step, i); at !== step.end[i]; at += 1) {
      const channel = step.channels[at];
      used[network.resource[channel]] += 1;
      if (used[network.resource[channel]] > network.capacity[channel] * width) exceeds = 1;
    }
    if (!isShown(step, i)) {
      dim.transfers.push(i);
      continue;
    }
    const place = 2 * colourPlace(step.message[i]) + exceeds;
    batches[place] = batches[place] || { isDim: false, exceeds: exceeds === 1, colour: colourOf(step.message[i]), transfers: [] };
    batches[place].transfers.push(i);
  }
  return [dim, ...batches.filter(batch => batch)];
}

/** The length of a dash of a channel with messages of several colours. */
const STRIPE = 7;

/** A browser paints several strokes of some paths faster than one of all. */
const PATHS_PER_STROKE = 40;

function tracePath(layer, step, i) {
  const start = pathStart(step, i);
  for (let at = start; at !== step.end[i]; at += 1) {
    const joins = at > start && network.entered[step.channels[at - 1]] === network.tail[step.channels[at]];
    traceChannel(layer, step.channels[at], joins);
  }
}

function drawTransfers(index) {
  const layer = transferLayer;
  const step = stepAt(index);
  const hasArrows = ARROW.length * camera.scale >= 3;
  layer.lineJoin = 'round';
  for (const batch of transferBatches(step, index)) {
    layer.globalAlpha = batch.isDim ? 0.25 : 1;
    layer.strokeStyle = batch.colour;
    layer.fillStyle = layer.strokeStyle;
    layer.lineWidth = batch.isDim ? lineWidth(1.5) : lineWidth(LINE, isIsolated() ? 2 : 1);
    layer.setLineDash(batch.exceeds ? [5, 4] : []);
    for (let first = 0; batch.transfers.length > first; first += PATHS_PER_STROKE) {
      layer.beginPath();
      for (const i of batch.transfers.slice(first, first + PATHS_PER_STROKE)) tracePath(layer, step, i);
      layer.stroke();
    }
    layer.setLineDash([]);
    if (!hasArrows || batch.isDim) continue;
    layer.beginPath();
    for (const i of batch.transfers) traceArrow(layer, step.channels[step.end[i] - 1], ARROW);
    layer.fill();
  }
  layer.globalAlpha = 1;
  drawShared(step, widthOf(index));
}

/**
 * Draws the channels that carry messages of several colours in a step: each colour has dashes of its own, so that none hides the
 * others. Channels above their capacity keep the dashes of their transfers.
 */
function drawShared(step, width) {
  const layer = transferLayer;
  const coloursOf = new Map();
  const loads = new Map();
  for (const channel of step.channels) loads.set(channel, (loads.get(channel) || 0) + 1);
  for (let i = 0; i < step.count; i += 1) {
    if (step.isDrawable[i] === 0 || !isShown(step, i)) continue;
    for (const channel of pathOf(step, i)) {
      if (!coloursOf.has(channel)) coloursOf.set(channel, new Set());
      coloursOf.get(channel).add(colourPlace(step.message[i]));
    }
  }
  const batches = new Map();
  for (const [channel, places] of coloursOf) {
    if (places.size < 2 || loads.get(channel) > network.capacity[channel] * width) continue;
    [...places].forEach((colour, part) => {
      const key = `${colour} ${part} ${places.size}`;
      if (!batches.has(key)) batches.set(key, { colour, part, parts: places.size, channels: [] });
      batches.get(key).channels.push(channel);
    });
  }
  layer.lineWidth = lineWidth(LINE, isIsolated() ? 2 : 1);
  for (const { colour, part, parts, channels } of batches.values()) {
    const dash = Math.max(STRIPE, 2 / camera.scale);
    layer.strokeStyle = theme.palette[colour];
    layer.setLineDash([dash, dash * (parts - 1)]);
    layer.lineDashOffset = -dash * part;
    layer.beginPath();
    for (const channel of channels) traceChannel(layer, channel, false);
    layer.stroke();
  }
  layer.setLineDash([]);
  layer.lineDashOffset = 0;
}

/** The load of each resource between 0 and 1, in the step or in all steps. */
function loadShares() {
  const isTotal = state.colouring === 'all';
  const loads = isTotal ? totals.loads : stepCount === 0 ? new Uint32Array(record.resources) : loadsOf(state.step - 1);
  const widths = isTotal ? widthSum : stepCount === 0 ? 1 : widthOf(state.step - 1);
  return Float64Array.from(loads, (load, resource) => load / (capacityOf(resource) * Math.max(1, widths)));
}

/** Draws the load of every link. Idle links are dashed in a colour outside the ramp. */
function drawLoads() {
  const layer = transferLayer;
  const shares = loadShares();
  const bins = Array.from({ length: theme.ramp.length + 1 }, () => []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 0) continue;
    const share = shares[network.resource[channel]];
    bins[share === 0 ? 0 : 1 + theme.ramp.indexOf(loadColour(share))].push(channel);
  }
  bins.forEach((channels, bin) => {
    layer.beginPath();
    for (const channel of channels) traceChannel(layer, channel, false);
    layer.strokeStyle = bin === 0 ? theme.colours.idle : theme.ramp[bin - 1];
    layer.setLineDash(bin === 0 ? [4, 3] : []);
    layer.lineWidth = bin === 0 ? lineWidth(1.6, 0.8) : lineWidth(LINE, 1.2);
    layer.stroke();
  });
  layer.setLineDash([]);
}

/** Draws what changes with the step: transfers or loads, and the marks. */
function drawStep() {
  clearLayer(transferLayer);
  drawSelectedLink(transferLayer, selected('link'));
  if (state.colouring !== 'messages') drawLoads();
  else if (stepCount > 0) drawTransfers(state.step - 1);
  const held = holdingsAfter(state.step);
  const one = selected('message');
  drawMarks(transferLayer, held && (node => heldShare(held, node, one)), selected('sender'));
}
