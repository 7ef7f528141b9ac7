
// What the page of a plan shows: a step, a colouring and a selection, as in `#step=3&select=message:5`.

const KINDS = ['message', 'sender', 'link', 'group'];
const NODE = 'sender';
const COLOURINGS = ['messages', 'step', 'all'];
const TABS = ['transfers', 'links', 'held', 'about'];

const FIRST_STATE = {
  /** The step, from 1; 0 if the schedule has none. */
  step: Math.min(1, stepCount),
  /** What the links show: the messages, their load in the step, or in all steps. */
  colouring: 'messages',
  /** The size of the collective in bytes, for times. */
  bytes: record.time ? record.time.bytes : 0,
  busiestFirst: false,
  /** Whether the timeline shows all links without scrolling. */
  allRows: false,
  asText: false,
};

function limitState() {
  state.step = Math.max(Math.min(1, stepCount), Math.min(stepCount, state.step));
}

function selectionLimit(kind) {
  const groups = record.groups ? record.groups.names.length : 0;
  return { message: record.messages, sender: nodeCount, link: record.resources, group: groups }[kind];
}

function addressFields() {
  const fields = [`step=${state.step}`];
  if (chosenFault > 0) fields.push(`fault=${chosenFault}`);
  if (state.colouring !== 'messages') fields.push(`colour=${state.colouring}`);
  return fields;
}

function readFields(fields) {
  const change = {};
  const step = Number(fields.get('step'));
  if (Number.isInteger(step)) change.step = step;
  if (COLOURINGS.includes(fields.get('colour'))) change.colouring = fields.get('colour');
  return change;
}

/** Returns true if a transfer belongs to the selected object, or nothing is selected. */
function isShown(step, i) {
  if (!state.select) return true;
  const { kind, id } = state.select;
  if (kind === 'message') return step.message[i] === id;
  // A switch sends nothing of its own: it isolates what passes through it.
  if (kind === 'sender') return isTerminal[id] === 1 ? step.sender[i] === id : pathOf(step, i).some(channel => exists(channel) && network.tail[channel] === id);
  if (kind === 'link') return pathOf(step, i).some(channel => exists(channel) && network.resource[channel] === id);
  return groupOf(step.sender[i]) === id || groupOf(step.receiver[i]) === id;
}

function selectionText() {
  if (!state.select) return '';
  const { kind, id } = state.select;
  if (kind === 'message') return `message ${id} (${messageLabel(id)})`;
  if (kind === 'sender') return isTerminal[id] === 1 ? `sender ${nodeName(id)}` : `switch ${nodeName(id)}`;
  if (kind === 'link') return `link ${linkName(id)}`;
  return groupName(id);
}

/** Returns a node of an object, or -1. */
function nodeOf(kind, id) {
  if (kind === 'sender') return id;
  return kind === 'message' && isKnown(id) ? sourceOf(id) : -1;
}
