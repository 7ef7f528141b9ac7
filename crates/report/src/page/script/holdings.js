
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
    this.reached = new Uint32Array(nodeCount);
    this.arrived = [];
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
    if (this.after > steps) this.reset();
    for (; this.after !== steps; this.after += 1) this.advance(stepAt(this.after));
  }

  advance(step) {
    this.arrived = [];
    for (let i = 0; i < step.count; i += 1) {
      const [message, sender, receiver] = [step.message[i], step.sender[i], step.receiver[i]];
      if (sender === -1 || !isKnown(message)) continue;
      const sum = this.hasTable ? this.held[this.place(sender, message)] : 1;
      this.arrived.push([receiver, message, sum]);
    }
    // Arrivals count only now, so that nothing is passed on in the step in which it arrives.
    for (const [receiver, message, sum] of this.arrived) {
      if (!this.hasTable) {
        this.reached[receiver] += this.isGoal(receiver, message) ? 1 : 0;
        continue;
      }
      const place = this.place(receiver, message);
      const before = this.held[place];
      this.held[place] = Math.min(this.full[message], isSum ? before + sum : Math.max(before, sum));
      const isNew = before !== this.full[message] && this.held[place] === this.full[message];
      if (isNew && this.isGoal(receiver, message)) this.reached[receiver] += 1;
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
