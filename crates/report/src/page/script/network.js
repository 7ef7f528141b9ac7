
// The network of a page, as typed arrays. Numbers are those of the file.

const TERMINAL = 0;
const SWITCH = 1;
const RECEIVER = 2;
const FAILED = 3;

/** Cuts the bytes of the page into its parts. The first one is the network. */
const parts = (() => {
  const bytes = bytesOf(document.getElementById('numbers').textContent);
  let end = 0;
  return record.parts.map((length, place) => {
    if (place === 2) end += record.skip || 0;
    return bytes.subarray(end, end += length);
  });
})();

const network = (() => {
  const decoder = new Decoder(parts[0]);
  const marks = readMarks(decoder);
  const channels = readChannels(decoder, marks);
  for (const channel of record.failed_channels || []) channels.isWorking[channel] = 0;
  for (const node of record.failed_nodes || []) marks[node].role = FAILED;
  return { marks, ...channels };
})();

function readMarks(decoder) {
  const scale = record.units_per_pixel;
  const [role, node, corner] = [new SymbolModel(4), new NumberModel(), new NumberModel()];
  const [centre, half, label] = [new VectorModel(), new VectorModel(), new VectorModel()];
  let [x, y, halfX, halfY, last] = [0, 0, 0, 0, 0];
  const marks = [];
  for (let i = 0; i < record.marks; i += 1) {
    const mark = { role: role.get(decoder) };
    last += node.difference(decoder);
    const [dx, dy] = centre.get(decoder, scale);
    const [dw, dh] = half.get(decoder, scale);
    [x, y, halfX, halfY] = [x + dx, y + dy, halfX + dw, halfY + dh];
    Object.assign(mark, { node: last, x, y, halfX, halfY, corner: corner.get(decoder) / scale });
    [mark.labelX, mark.labelY] = label.get(decoder, scale);
    marks.push(mark);
  }
  return marks;
}

function readChannels(decoder, marks) {
  const count = record.channels;
  const scale = record.units_per_pixel;
  const [works, isCurved] = [new SymbolModel(2), new SymbolModel(2)];
  const [tailModel, headModel, enteredModel] = [new NumberModel(), new NumberModel(), new NumberModel()];
  const [resourceModel, capacityModel] = [new NumberModel(), new NumberModel()];
  const [start, end, first, second] = [new VectorModel(), new VectorModel(), new VectorModel(), new VectorModel()];
  const tail = new Int32Array(count);
  const head = new Int32Array(count);
  const entered = new Int32Array(count);
  const resource = new Int32Array(count);
  const capacity = new Float64Array(count);
  const isWorking = new Uint8Array(count);
  const curved = new Uint8Array(count);
  const curve = new Float32Array(8 * count);
  let [lastTail, lastHead, lastResource] = [0, 0, 0];
  for (let channel = 0; channel < count; channel += 1) {
    isWorking[channel] = works.get(decoder);
    lastTail += tailModel.difference(decoder);
    lastHead += headModel.difference(decoder);
    tail[channel] = lastTail;
    head[channel] = lastHead;
    entered[channel] = lastHead + enteredModel.get(decoder);
    lastResource += 1 + resourceModel.difference(decoder);
    resource[channel] = lastResource;
    capacity[channel] = capacityModel.get(decoder);
    const from = marks[lastTail];
    const to = marks[entered[channel]];
    const [ax, ay] = start.get(decoder, scale);
    const [dx, dy] = end.get(decoder, scale);
    const [a, d] = [[from.x + ax, from.y + ay], [to.x + dx, to.y + dy]];
    curved[channel] = isCurved.get(decoder);
    let [b, c] = [a, d];
    if (curved[channel] === 1) {
      const [bx, by] = first.get(decoder, scale);
      const [cx, cy] = second.get(decoder, scale);
      [b, c] = [[a[0] + bx, a[1] + by], [d[0] + cx, d[1] + cy]];
    }
    curve.set([...a, ...b, ...c, ...d], 8 * channel);
  }
  return { tail, head, entered, resource, capacity, isWorking, curved, curve };
}

const nodeCount = record.nodes.length;
const isTerminal = Uint8Array.from({ length: nodeCount }, (_, node) => Number(network.marks[node].role === TERMINAL));

/** The working channels that leave each node, ascending. */
const outgoing = (() => {
  const rows = Array.from({ length: nodeCount }, () => []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 1) rows[network.tail[channel]].push(channel);
  }
  return rows;
})();

/** The channels of each resource. A resource is what a transfer occupies: a channel, or channels that share a wire. */
const channelsOf = (() => {
  const rows = Array.from({ length: record.resources }, () => []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    const row = rows[network.resource[channel]];
    if (network.isWorking[channel] === 1 && row) row.push(channel);
  }
  return rows;
})();

/** Returns the group of a node, or -1. */
function groupOf(node) {
  const group = record.groups && node !== -1 ? record.groups.of[node] : null;
  return group === null ? -1 : group;
}

const exists = channel => channel < record.channels && network.isWorking[channel] === 1;
const capacityOf = resource => (channelsOf[resource].length === 0 ? 1 : network.capacity[channelsOf[resource][0]]);
