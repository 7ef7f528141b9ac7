
// The state of the page: what it shows. The address keeps it, as in `#select=node:g0_5&tab=about`. Each page has its own
// `FIRST_STATE`, `KINDS`, `TABS`, `selectionLimit`, `objectName`, `limitState`, `addressFields` and `readFields`.

const state = {
  /** The isolated object: `{ kind, id }` or null. */
  select: null,
  tab: TABS[0],
  ...FIRST_STATE,
};

/** The number of objects whose names are searched for one of the address. */
const MOST_NAMES = 200000;

const listeners = [];

/** Changes the state and shows it. `change` has the new values. */
function update(change) {
  Object.assign(state, change);
  limitState();
  writeAddress();
  for (const listener of listeners) listener(change);
  // A page with two plans follows.
  window.dispatchEvent(new CustomEvent('change-of-state', { detail: change }));
}

/** Selects an object, or clears the selection if it is selected already. */
function select(kind, id) {
  update({ select: selected(kind) === id ? null : { kind, id } });
}

const isIsolated = () => state.select !== null;

/** Returns the selected object of a kind, or -1. */
const selected = kind => (state.select && state.select.kind === kind ? state.select.id : -1);

function writeAddress() {
  const fields = addressFields();
  if (state.select) fields.push(`select=${state.select.kind}:${encodeURIComponent(addressName(state.select))}`);
  if (state.tab !== TABS[0]) fields.push(`tab=${state.tab}`);
  if (theme.choice !== 'system') fields.push(`theme=${theme.choice}`);
  setAddress(fields);
}

/** The name of the last object in the address: a search among many names takes longer than the picture of a step. */
const addressed = { key: '', name: '' };

/** Returns the name of an object in the address; its number if it has no name of its own. */
function addressName({ kind, id }) {
  const key = `${kind} ${id}`;
  if (addressed.key === key) return addressed.name;
  const name = objectName(kind, id);
  return Object.assign(addressed, { key, name: name === undefined || objectOf(kind, name) !== id ? String(id) : name }).name;
}

/** Returns the object of a name or a number, or -1. */
function objectOf(kind, text) {
  const limit = selectionLimit(kind);
  for (let id = 0; id < Math.min(limit, MOST_NAMES); id += 1) if (objectName(kind, id) === text) return id;
  const number = /^\d+$/.test(text) ? Number(text) : -1;
  return number < limit ? number : -1;
}

/** Reads the address. Unknown fields and wrong values are ignored. */
function readAddress() {
  const fields = new Map(location.hash.slice(1).split('&').map(field => field.split('=')));
  const change = readFields(fields);
  if (TABS.includes(fields.get('tab'))) change.tab = fields.get('tab');
  if (['light', 'dark'].includes(fields.get('theme'))) theme.choice = fields.get('theme');
  const [, kind, name] = /^(\w+):(.*)$/.exec(fields.get('select') || '') || [];
  const id = KINDS.includes(kind) ? objectOf(kind, decoded(name)) : -1;
  if (id !== -1) change.select = { kind, id };
  return change;
}

/** Returns a decoded part of an address, or an empty text. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
