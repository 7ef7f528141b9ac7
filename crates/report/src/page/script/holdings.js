
// What each node holds after each step.

/** The largest table of nodes and messages. */
const MAX_ENTRIES = 2 ** 24;
const isSum = record.pattern === 'reduce' || record.pattern === 'all-reduce';

/** Returns the nodes that hold a message, or a contribution to it, before the first step. */
function firstHolders(message) {
  if (isSum) return [sourceOf(message), ...receiversOf(message)];
  return record.pattern === 'gather' ? receiversOf(message) : [sourceOf(message)];
}

/** Returns the nodes that must hold a message, or its complete sum, after the last step. */
function lastHolders(message) {
  if (record.pattern === 'gather' || record.pattern === 'reduce') return [sourceOf(message)];
  return record.pattern === 'all-reduce' ? [sourceOf(message), ...receiversOf(message)] : receiversOf(message);
}

/**
 * The state of all nodes after a step. With a table, `held` has the number of contributions per node and message; without
 * sums it is 0 or 1. Without a table, only arrivals at the goals are counted.
 */
class Holdings {
  constructor() {
    this.hasTable = nodeCount * record.messages <= MAX_ENTRIES;
    this.goals = new Uint32Array(nodeCount);
    this.full = new Uint32Array(record.messages);
    this.isGoalTable = this.hasTable ? new Uint8Array(nodeCount * record.messages) : null;
    for (let message = 0; message < record.messages; message += 1) {
      for (const node of lastHolders(message)) {
        this.goals[node] += 1;
        if (this.hasTable) this.isGoalTable[this.place(node, message)] = 1;
      }
      this.full[message] = isSum ? 1 + receiversOf(message).length : 1;
    }
    this.goalCount = this.goals.reduce((sum, count) => sum + count, 0);
    this.reset();
  }

  reset() {
    this.after = 0;
    /** For each step, what its arrivals replaced: nodes, messages, and numbers of contributions. */
    this.replaced = [];
    this.reached = new Uint32Array(nodeCount);
    if (!this.hasTable) return;
    this.held = new Uint16Array(nodeCount * record.messages);
    for (let message = 0; message < record.messages; message += 1) {
      for (const node of firstHolders(message)) this.held[this.place(node, message)] = 1;
    }
  }

  place(node, message) {
    return node * record.messages + message;
  }

  /** Moves to the state after a number of steps. */
  goTo(steps) {
    while (this.after > steps) this.undo();
    for (; this.after !== steps; this.after += 1) this.replaced[this.after] = this.advance(stepAt(this.after));
  }

  /** Adds the arrivals of a step. Returns what they replaced. */
  advance(step) {
    const [nodes, messages] = [new Int32Array(step.count), new Uint32Array(step.count)];
    const before = new Uint16Array(step.count);
    let count = 0;
    for (let i = 0; i < step.count; i += 1) {
      const message = step.message[i];
      if (step.sender[i] === -1 || !isKnown(message)) continue;
      [nodes[count], messages[count]] = [step.receiver[i], message];
      before[count] = this.hasTable ? this.held[this.place(step.sender[i], message)] : 1;
      count += 1;
    }
    // Arrivals count only now, so that nothing is passed on in the step in which it arrives.
    for (let i = 0; i < count; i += 1) before[i] = this.arrive(nodes[i], messages[i], before[i]);
    return { nodes: nodes.subarray(0, count), messages, before };
  }

  /** Adds an arrival. Returns the number of contributions that the node held before. */
  arrive(node, message, sum) {
    if (!this.hasTable) {
      this.reached[node] += this.isGoal(node, message) ? 1 : 0;
      return 0;
    }
    const place = this.place(node, message);
    const before = this.held[place];
    this.held[place] = Math.min(this.full[message], isSum ? before + sum : Math.max(before, sum));
    const isNew = before !== this.full[message] && this.held[place] === this.full[message];
    if (isNew && this.isGoal(node, message)) this.reached[node] += 1;
    return before;
  }

  /** Calls a function with the node and message of each arrival of the last step. */
  arrivals(found) {
    if (this.after === 0) return;
    const { nodes, messages } = this.replaced[this.after - 1];
    nodes.forEach((node, i) => found(node, messages[i]));
  }

  /** Moves to the state before the last step. */
  undo() {
    this.after -= 1;
    const { nodes, messages, before } = this.replaced.pop();
    for (let i = nodes.length - 1; i >= 0; i -= 1) {
      const [node, message] = [nodes[i], messages[i]];
      if (!this.hasTable) {
        this.reached[node] -= this.isGoal(node, message) ? 1 : 0;
        continue;
      }
      const place = this.place(node, message);
      const wasNew = before[i] !== this.full[message] && this.held[place] === this.full[message];
      if (wasNew && this.isGoal(node, message)) this.reached[node] -= 1;
      this.held[place] = before[i];
    }
  }

  isGoal(node, message) {
    if (this.hasTable) return this.isGoalTable[this.place(node, message)] === 1;
    return lastHolders(message).includes(node);
  }

  /** The share of a node's goals that it has reached, or null for a node without goals. */
  share(node) {
    return this.goals[node] === 0 ? null : Math.min(1, this.reached[node] / this.goals[node]);
  }

  /** The share of a message that a node holds: 0 to 1. */
  part(node, message) {
    return this.hasTable ? this.held[this.place(node, message)] / this.full[message] : 0;
  }

  get reachedCount() {
    return this.reached.reduce((sum, count) => sum + count, 0);
  }
}

let holdings = null;

/** Returns the state after a step, or null until every step is decoded. */
function holdingsAfter(steps) {
  if (!totals.isReady) return null;
  holdings = holdings || new Holdings();
  holdings.goTo(steps);
  return holdings;
}
