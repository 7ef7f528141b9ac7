
// The state of the page: what it shows. The address keeps it, as in `#step=3&select=message:5`.

const KINDS = ['message', 'sender', 'link', 'group'];
const COLOURINGS = ['messages', 'step', 'all'];
const TABS = ['transfers', 'links', 'held', 'about'];

const state = {
  /** The step, from 1; 0 if the schedule has none. */
  step: Math.min(1, stepCount),
  /** What the links show: the messages, their load in the step, or in all steps. */
  colouring: 'messages',
  /** The isolated object: `{ kind, id }` or null. */
  select: null,
  tab: 'transfers',
  /** The size of the collective in bytes, for times. */
  bytes: record.time ? record.time.bytes : 0,
  busiestFirst: false,
  /** Whether the timeline shows all links without scrolling. */
  allRows: false,
  asText: false,
};

const listeners = [];

/** Changes the state and shows it. `change` has the new values. */
function update(change) {
  Object.assign(state, change);
  state.step = Math.max(Math.min(1, stepCount), Math.min(stepCount, state.step));
  writeAddress();
  for (const listener of listeners) listener(change);
}

function selectionLimit(kind) {
  const groups = record.groups ? record.groups.names.length : 0;
  return { message: record.messages, sender: nodeCount, link: record.resources, group: groups }[kind];
}

/** Selects an object, or clears the selection if it is selected already. */
function select(kind, id) {
  const isSame = state.select && state.select.kind === kind && state.select.id === id;
  update({ select: isSame ? null : { kind, id } });
}

const isIsolated = () => state.select !== null;

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

function writeAddress() {
  // The document of an iframe with `srcdoc`, as Jupyter shows it, has no address of its own.
  if (location.protocol === 'about:') return;
  const fields = [`step=${state.step}`];
  if (state.select) fields.push(`select=${state.select.kind}:${state.select.id}`);
  if (state.colouring !== 'messages') fields.push(`colour=${state.colouring}`);
  if (state.tab !== 'transfers') fields.push(`tab=${state.tab}`);
  if (theme.choice !== 'system') fields.push(`theme=${theme.choice}`);
  history.replaceState(null, '', `#${fields.join('&')}`);
}

/** Reads the address. Unknown fields and wrong values are ignored. */
function readAddress() {
  const fields = new Map(location.hash.slice(1).split('&').map(field => field.split('=')));
  const change = {};
  const step = Number(fields.get('step'));
  if (Number.isInteger(step)) change.step = step;
  if (COLOURINGS.includes(fields.get('colour'))) change.colouring = fields.get('colour');
  if (TABS.includes(fields.get('tab'))) change.tab = fields.get('tab');
  if (['light', 'dark'].includes(fields.get('theme'))) theme.choice = fields.get('theme');
  const [kind, number] = (fields.get('select') || '').split(':');
  const id = Number(number);
  if (KINDS.includes(kind) && Number.isInteger(id) && id >= 0 && id < selectionLimit(kind)) change.select = { kind, id };
  return change;
}
