
// The plan: network, messages and steps, as typed arrays. Numbers are those of the plan file.

const TERMINAL = 0;
const SWITCH = 1;
const RECEIVER = 2;
const FAILED = 3;
const DEPENDENT_PORTS = 64;
const PORTS_BEFORE = 16;
const NODE_KINDS = 3;
const ALL_OTHERS = 0;
const ONE_RECEIVER = 1;

const record = JSON.parse(document.getElementById('record').textContent);
const stepCount = record.transfers.length;

/** Cuts the bytes of the page into its parts: the network, the messages, and each step. */
const parts = (() => {
  const bytes = bytesOf(document.getElementById('numbers').textContent);
  let end = 0;
  return record.parts.map(length => bytes.subarray(end, end += length));
})();

const network = (() => {
  const decoder = new Decoder(parts[0]);
  const marks = readMarks(decoder);
  return { marks, ...readChannels(decoder, marks) };
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

/** Source, form and receivers of each message before it is split into chunks. */
const messages = (() => {
  const count = record.messages / record.chunks;
  const decoder = new Decoder(parts[1]);
  const [sourceModel, receiverModel] = [new NumberModel(), new NumberModel()];
  const [countModel, listed, formModel] = [new NumberModel(), new NumberModel(), new SymbolModel(4)];
  const source = new Int32Array(count);
  const form = new Uint8Array(count);
  const receiver = new Int32Array(count);
  const lists = new Map();
  let [lastSource, lastReceiver] = [0, 0];
  for (let message = 0; message < count; message += 1) {
    lastSource += sourceModel.difference(decoder);
    source[message] = lastSource;
    form[message] = formModel.get(decoder);
    if (form[message] === ONE_RECEIVER) {
      lastReceiver += receiverModel.difference(decoder);
      receiver[message] = lastReceiver;
    } else if (form[message] !== ALL_OTHERS) {
      const list = [];
      let last = lastSource;
      for (let left = countModel.get(decoder); left > 0; left -= 1) {
        last += listed.difference(decoder);
        list.push(last);
      }
      lists.set(message, list);
    }
  }
  return { count, source, form, receiver, lists };
})();

/** Returns the group of a node, or -1. */
function groupOf(node) {
  const group = record.groups && node !== -1 ? record.groups.of[node] : null;
  return group === null ? -1 : group;
}

const terminals = network.marks.filter(mark => mark.role === TERMINAL).map(mark => mark.node);
const originalOf = message => Math.floor(message / record.chunks);
const isKnown = message => message < record.messages;
const sourceOf = message => messages.source[originalOf(message)];
const onlyReceiver = message => {
  const original = originalOf(message);
  return isKnown(message) && messages.form[original] === ONE_RECEIVER ? messages.receiver[original] : -1;
};

function receiversOf(message) {
  const original = originalOf(message);
  if (messages.form[original] === ALL_OTHERS) return terminals.filter(node => node !== messages.source[original]);
  return messages.lists.get(original) || [messages.receiver[original]];
}

const mostPorts = outgoing.reduce((most, row) => Math.max(most, row.length), 0);
const decodedSteps = new Array(stepCount);

/**
 * Returns a step, from 0: per transfer its message, sender, receiver, the end of its path in `channels`, and whether
 * it can be drawn. Sender and receiver are -1 if the path is not a path.
 */
function stepAt(index) {
  decodedSteps[index] = decodedSteps[index] || decodeStep(index);
  return decodedSteps[index];
}

function decodeStep(index) {
  const count = record.transfers[index];
  const decoder = new Decoder(parts[2 + index]);
  const [messageModel, senderModel] = [new NumberModel(), new NumberModel()];
  const [lengthModel, channelModel] = [new NumberModel(), new NumberModel()];
  const [isIrregular, isSource] = [new SymbolModel(2), new SymbolModel(2)];
  const isDependent = mostPorts <= DEPENDENT_PORTS;
  const portModels = new Array((isDependent ? PORTS_BEFORE : 1) * NODE_KINDS);
  const message = new Uint32Array(count);
  const sender = new Int32Array(count).fill(-1);
  const receiver = new Int32Array(count).fill(-1);
  const end = new Uint32Array(count);
  const channels = [];
  let [lastMessage, lastSender] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    lastMessage = (lastMessage + messageModel.difference(decoder)) >>> 0;
    message[i] = lastMessage;
    if (isIrregular.get(decoder) === 1) {
      for (let left = lengthModel.get(decoder); left > 0; left -= 1) channels.push(channelModel.get(decoder));
      end[i] = channels.length;
      continue;
    }
    lastSender = isSource.get(decoder) === 1 ? sourceOf(lastMessage) : lastSender + senderModel.difference(decoder);
    sender[i] = lastSender;
    const target = onlyReceiver(lastMessage);
    let [node, before] = [lastSender, 0];
    for (;;) {
      const kind = isTerminal[node] === 0 ? 0 : node === target ? 2 : 1;
      const place = isDependent ? NODE_KINDS * Math.min(before, PORTS_BEFORE - 1) + kind : kind;
      portModels[place] = portModels[place] || new SymbolModel(mostPorts + 1);
      before = portModels[place].get(decoder);
      if (before === 0) break;
      const channel = outgoing[node][before - 1];
      channels.push(channel);
      node = network.head[channel];
    }
    receiver[i] = node;
    end[i] = channels.length;
  }
  const step = { count, message, sender, receiver, end, channels: new Uint32Array(channels), isDrawable: new Uint8Array(count), missing: 0 };
  for (let i = 0; i < count; i += 1) {
    // A path of ports exists. Any other path can have channels that do not exist.
    const hasPath = sender[i] !== -1 || (step.end[i] > pathStart(step, i) && pathOf(step, i).every(exists));
    step.isDrawable[i] = Number(hasPath && isKnown(message[i]));
    step.missing += 1 - step.isDrawable[i];
  }
  return step;
}

const pathStart = (step, i) => (i === 0 ? 0 : step.end[i - 1]);
const pathOf = (step, i) => step.channels.subarray(pathStart(step, i), step.end[i]);
const exists = channel => channel < record.channels && network.isWorking[channel] === 1;
const widthOf = index => (record.widths.length === 0 ? 1 : record.widths[index]);

/** Returns the number of uses of each resource in a step. */
function loadsOf(index) {
  const loads = new Uint32Array(record.resources);
  for (const channel of stepAt(index).channels) {
    if (exists(channel)) loads[network.resource[channel]] += 1;
  }
  return loads;
}

/** The uses of each resource in all steps, once every step is decoded. */
const totals = { isReady: false, loads: new Uint32Array(record.resources), busySteps: new Uint32Array(record.resources) };

/** Decodes the steps that are not decoded yet, in pieces that leave time for input, then calls `done`. */
function decodeAll(done) {
  let next = 0;
  const work = () => {
    const deadline = performance.now() + 12;
    for (; next !== stepCount; next += 1) {
      if (performance.now() > deadline) {
        setTimeout(work, 0);
        return;
      }
      loadsOf(next).forEach((load, resource) => {
        totals.loads[resource] += load;
        totals.busySteps[resource] += load > 0 ? 1 : 0;
      });
    }
    totals.isReady = true;
    done();
  };
  setTimeout(work, 0);
}

/** The capacity of a resource in all steps together: its units times the sum of the widths. */
const widthSum = record.widths.length === 0 ? stepCount : record.widths.reduce((sum, width) => sum + width, 0);
const capacityOf = resource => (channelsOf[resource].length === 0 ? 1 : network.capacity[channelsOf[resource][0]]);

/** Returns the begin of each step and the end of the last one: in seconds if the network has bandwidths, else in widths. */
function stepTimes(bytes) {
  const times = [0];
  const time = record.time;
  const perMessage = time ? Math.ceil(bytes / time.messages_per_size) : 0;
  const chunk = Math.ceil(perMessage / record.chunks);
  for (let index = 0; index < stepCount; index += 1) {
    const isEmpty = record.transfers[index] === 0;
    const transmission = time ? widthOf(index) * chunk / time.unit_bytes_per_second : widthOf(index);
    const latency = time ? time.latency_ps[index] * 1e-12 : 0;
    times.push(times[index] + (isEmpty && time ? 0 : latency + transmission));
  }
  return times;
}
