
// The clock of a plan: when each step and each transfer begins and ends. It mirrors `TransferSpeed` of the library.

/** The largest schedule whose transfers have times of their own. */
const MAX_TIMED = 1000000;

/** The number of transfers before each step. */
const firstOf = (() => {
  const first = [0];
  for (const count of record.transfers) first.push(first[first.length - 1] + count);
  return first;
})();
const transferCount = firstOf[stepCount];

/** Returns the bytes of a chunk of a collective of some bytes. */
const chunkBytes = bytes => Math.ceil(Math.ceil(bytes / record.time.messages_per_size) / record.chunks);

/** Returns the latency of a channel in seconds. */
const latencyOf = channel => 1e-12 * (record.time.channel_latencies_ps[record.time.channel_latency[channel] || 0] || 0);

/** The transfers that occupy a link or a port, ascending by end. The last one gives the earliest begin of the next one. */
class SlotQueue {
  constructor(capacity) {
    Object.assign(this, { capacity, busy: [], begin: 0, last: -1 });
  }

  /** Returns the first time at which some units are free, and the transfer that frees them; -1 is none. */
  freeFrom(units) {
    let free = this.capacity - Math.min(this.capacity, this.busy.reduce((sum, { units: own }) => sum + own, 0));
    let [time, cause] = [this.begin, -1];
    for (const { end, units: own, transfer } of this.busy) {
      if (free >= units) break;
      if (end > time) [time, cause] = [end, transfer];
      free += own;
    }
    return { time, cause };
  }

  take(begin, end, units, transfer) {
    this.begin = begin;
    this.last = transfer;
    this.busy = this.busy.filter(other => other.end > begin);
    const place = this.busy.findIndex(other => other.end > end);
    this.busy.splice(place === -1 ? this.busy.length : place, 0, { end, units, transfer });
  }
}

/** Returns the links and ports of a transfer. */
function slotsOf(step, i) {
  const slots = Array.from(pathOf(step, i), channel => network.resource[channel]);
  if (record.ports !== null) slots.push(record.resources + step.sender[i], record.resources + nodeCount + step.receiver[i]);
  return slots;
}

/**
 * Returns the times of all transfers if each begins as soon as its data has arrived and its links and ports are free: begin, end of
 * the transmission, and the transfer that it waits for. Null if a transfer has no path.
 */
function timesInTurns(bytes) {
  const [begin, sent, before] = [new Float64Array(transferCount), new Float64Array(transferCount), new Int32Array(transferCount).fill(-1)];
  const transmission = units => chunkBytes(bytes) / (record.time.unit_bytes_per_second * units);
  const queues = new Map();
  const queue = slot => {
    if (!queues.has(slot)) queues.set(slot, new SlotQueue(slot >= record.resources ? record.ports : capacityOf(slot)));
    return queues.get(slot);
  };
  const ready = new Map();
  let [end, last] = [0, -1];
  for (let index = 0; index < stepCount; index += 1) {
    const step = stepAt(index);
    if (step.missing > 0) return null;
    const users = new Map();
    for (let i = 0; i < step.count; i += 1) for (const slot of slotsOf(step, i)) users.set(slot, (users.get(slot) || 0) + 1);
    const arrivals = [];
    for (let i = 0; i < step.count; i += 1) {
      const transfer = firstOf[index] + i;
      const slots = slotsOf(step, i);
      const units = Math.max(1, Math.min(...slots.map(slot => Math.floor(queue(slot).capacity / users.get(slot)))));
      const message = step.message[i];
      const isFirst = !isSum && firstHolders(message)[0] === step.sender[i];
      const data = isFirst ? undefined : ready.get(message * nodeCount + step.sender[i]);
      let { time, cause } = data || { time: 0, cause: -1 };
      for (const slot of slots) {
        const free = queue(slot).freeFrom(units);
        if (free.time <= time) continue;
        // A transfer that begins with the one before it in its slot waits for the same one.
        [time, cause] = [free.time, free.cause === -1 ? before[queue(slot).last] : free.cause];
      }
      begin[transfer] = time;
      sent[transfer] = time + transmission(units);
      before[transfer] = cause;
      for (const slot of slots) queue(slot).take(time, sent[transfer], units, transfer);
      const latency = pathOf(step, i).reduce((sum, channel) => sum + latencyOf(channel), 0);
      const arrival = sent[transfer] + latency;
      if (arrival > end) [end, last] = [arrival, transfer];
      arrivals.push({ key: message * nodeCount + step.receiver[i], time: arrival, cause: transfer });
    }
    for (const { key, time, cause } of arrivals) {
      const known = ready.get(key);
      if (!known || (isSum ? time > known.time : known.time > time)) ready.set(key, { time, cause });
    }
  }
  return { begin, sent, before, end, last };
}

/** Returns the clock of the whole schedule: begin and end of each step, the end of all, and the transfers if each has times of its own. */
function clockOf(bytes, isAsynchronous) {
  const times = stepTimes(bytes);
  const steps = { begin: times.slice(0, stepCount), end: times.slice(1), last: times[stepCount], transfers: null };
  const transfers = isAsynchronous && record.time && MAX_TIMED >= transferCount ? timesInTurns(bytes) : null;
  // Transfers that lose time by turns share their links instead: then all steps begin together.
  if (!transfers || transfers.end > steps.last) return steps;
  const extreme = (index, values, better) => {
    let best = record.transfers[index] > 0 ? values[firstOf[index]] : 0;
    for (let i = firstOf[index]; i !== firstOf[index + 1]; i += 1) best = better(best, values[i]);
    return best;
  };
  const indexes = record.transfers.map((_, index) => index);
  return {
    begin: indexes.map(index => extreme(index, transfers.begin, Math.min)),
    end: indexes.map(index => extreme(index, transfers.sent, Math.max)),
    last: transfers.end,
    transfers,
    isCritical: new Set(criticalPath(transfers)),
  };
}

/** Returns the transfers of the critical path, from the last one back: each waits for the next one. */
function criticalPath({ before, last }) {
  const path = [];
  for (let transfer = last; transfer !== -1; transfer = before[transfer]) path.push(transfer);
  return path;
}

/** Returns the step of a transfer of the whole schedule, from 0. */
function stepOfTransfer(transfer) {
  let [low, high] = [0, stepCount];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (firstOf[middle] > transfer) high = middle;
    else low = middle;
  }
  return low;
}
