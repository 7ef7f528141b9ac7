
// What the page of a plan shows: a step, a colouring and a selection, as in `#step=3&select=sender:g0_5`.

const KINDS = ['message', 'sender', 'link', 'group'];
const NODE = 'sender';
const COLOURINGS = ['messages', 'step', 'all'];
const DIRECTIONS = ['sends', 'receives', 'both'];
const TABS = ['transfers', 'links', 'held', 'about'];

const FIRST_STATE = {
  /** The step, from 1; 0 if the schedule has none. */
  step: Math.min(1, stepCount),
  /** What the links show: the messages, their load in the step, or in all steps. */
  colouring: 'messages',
  /** The size of the collective in bytes, for times. */
  bytes: record.time ? record.time.bytes : 0,
  busiestFirst: false,
  /** What the rows of the timeline are: links or ranks. */
  rows: 'links',
  /** Whether each transfer begins as soon as it can, or each step when the one before has ended. */
  isAsynchronous: false,
  /** Which transfers of a selected terminal are shown. */
  direction: 'sends',
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
  if (state.direction !== 'sends') fields.push(`show=${state.direction}`);
  if (state.rows !== 'links') fields.push(`rows=${state.rows}`);
  if (state.isAsynchronous) fields.push('clock=asynchronous');
  return fields;
}

function readFields(fields) {
  const change = {};
  const step = Number(fields.get('step'));
  if (Number.isInteger(step)) change.step = step;
  if (COLOURINGS.includes(fields.get('colour'))) change.colouring = fields.get('colour');
  if (DIRECTIONS.includes(fields.get('show'))) change.direction = fields.get('show');
  if (Object.keys(ROWS).includes(fields.get('rows'))) change.rows = fields.get('rows');
  if (fields.get('clock') === 'asynchronous' && record.time) change.isAsynchronous = true;
  return change;
}

/** Returns true if a transfer belongs to the selected object, or nothing is selected. */
function isShown(step, i) {
  if (!state.select) return true;
  const { kind, id } = state.select;
  if (kind === 'message') return step.message[i] === id;
  if (kind === 'sender') return isTerminal[id] === 1 ? isOfTerminal(step, i, id) : pathOf(step, i).some(channel => exists(channel) && network.tail[channel] === id);
  if (kind === 'link') return pathOf(step, i).some(channel => exists(channel) && network.resource[channel] === id);
  return groupOf(step.sender[i]) === id || groupOf(step.receiver[i]) === id;
}

/** Returns true if a terminal sends or receives in a transfer, as far as its direction is shown. A switch isolates what passes through it. */
function isOfTerminal(step, i, node) {
  const [isSent, isReceived] = [step.sender[i] === node, step.receiver[i] === node];
  return { sends: isSent, receives: isReceived, both: isSent || isReceived }[state.direction];
}

function selectionText() {
  if (!state.select) return '';
  const { kind, id } = state.select;
  if (kind === 'message') return messageName(id);
  if (kind === 'sender') return isTerminal[id] === 1 ? `what ${nodeName(id)} ${state.direction === 'both' ? 'sends and receives' : state.direction}` : `switch ${nodeName(id)}`;
  if (kind === 'link') return `link ${linkName(id)}`;
  return groupName(id);
}

/** Returns the name of an object in the address, or undefined. */
function objectName(kind, id) {
  if (kind === 'sender') return record.nodes[id];
  if (kind === 'message') return messageLabel(id);
  if (kind === 'link') return channelsOf[id].length > 0 ? linkName(id) : undefined;
  return record.groups ? record.groups.names[id] : undefined;
}

/** Returns a node of an object, or -1. */
function nodeOf(kind, id) {
  if (kind === 'sender') return id;
  return kind === 'message' && isKnown(id) ? sourceOf(id) : -1;
}
