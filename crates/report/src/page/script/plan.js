
// The plan: messages and steps, as typed arrays. Numbers are those of the plan file.

const DEPENDENT_PORTS = 64;
const PORTS_BEFORE = 16;
const NODE_KINDS = 3;
const ALL_OTHERS = 0;
const ONE_RECEIVER = 1;

const stepCount = record.transfers.length;

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
