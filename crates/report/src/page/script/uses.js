
// The rows of the timeline, and the transfers that use each of them.

const MAX_USES = 8000000;

/** What rows can be: links, or what each rank sends and receives. `of` returns the rows of a transfer. */
const ROWS = {
  links: {
    count: record.resources,
    isRow: row => channelsOf[row].length > 0,
    name: row => linkName(row),
    capacity: row => capacityOf(row),
    of: (step, i) => Array.from(pathOf(step, i)).filter(exists).map(channel => network.resource[channel]),
  },
  ranks: {
    count: 2 * nodeCount,
    isRow: row => isTerminal[row >> 1] === 1,
    name: row => `${nodeName(row >> 1)} ${row & 1 ? 'receives' : 'sends'}`,
    capacity: row => rankCapacity[row] || 1,
    of: (step, i) => (step.sender[i] === -1 ? [] : [2 * step.sender[i], 2 * step.receiver[i] + 1]),
  },
};

/** The units that a rank sends, and receives, in a step of width 1. */
const rankCapacity = (() => {
  const units = new Float64Array(2 * nodeCount);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 0) continue;
    units[2 * network.tail[channel]] += network.capacity[channel];
    units[2 * network.head[channel] + 1] += network.capacity[channel];
  }
  return units.map(sum => Math.min(sum, record.ports === null ? sum : record.ports));
})();

const collected = new Map();

/** Returns the uses of each row, by step: `start` has the first use of each row. Null before all steps are read, or if there are too many. */
function usesOf(kind) {
  if (!totals.isReady) return null;
  if (!collected.has(kind)) collected.set(kind, collectUses(ROWS[kind]));
  return collected.get(kind);
}

function collectUses({ count, of }) {
  const start = new Uint32Array(count + 1);
  const forUses = action => {
    for (let index = 0; index < stepCount; index += 1) {
      const step = stepAt(index);
      for (let i = 0; i < step.count; i += 1) for (const row of of(step, i)) action(row, index, i);
    }
  };
  let total = 0;
  forUses(row => {
    start[row + 1] += 1;
    total += 1;
  });
  if (total > MAX_USES) return null;
  for (let row = 0; row < count; row += 1) start[row + 1] += start[row];
  const next = start.slice();
  const [stepOf, transferOf] = [new Uint32Array(total), new Uint32Array(total)];
  forUses((row, index, i) => {
    stepOf[next[row]] = index;
    transferOf[next[row]] = i;
    next[row] += 1;
  });
  return { start, stepOf, transferOf };
}
