
// The state of the page: what it shows. The address keeps it, as in `#select=link:5&tab=about`. Each page has its own
// `FIRST_STATE`, `KINDS`, `TABS`, `selectionLimit`, `limitState`, `addressFields` and `readFields`.

const state = {
  /** The isolated object: `{ kind, id }` or null. */
  select: null,
  tab: TABS[0],
  ...FIRST_STATE,
};

const listeners = [];

/** Changes the state and shows it. `change` has the new values. */
function update(change) {
  Object.assign(state, change);
  limitState();
  writeAddress();
  for (const listener of listeners) listener(change);
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
  if (state.select) fields.push(`select=${state.select.kind}:${state.select.id}`);
  if (state.tab !== TABS[0]) fields.push(`tab=${state.tab}`);
  if (theme.choice !== 'system') fields.push(`theme=${theme.choice}`);
  setAddress(fields);
}

/** Reads the address. Unknown fields and wrong values are ignored. */
function readAddress() {
  const fields = new Map(location.hash.slice(1).split('&').map(field => field.split('=')));
  const change = readFields(fields);
  if (TABS.includes(fields.get('tab'))) change.tab = fields.get('tab');
  if (['light', 'dark'].includes(fields.get('theme'))) theme.choice = fields.get('theme');
  const [kind, number] = (fields.get('select') || '').split(':');
  const id = Number(number);
  if (KINDS.includes(kind) && Number.isInteger(id) && id >= 0 && id < selectionLimit(kind)) change.select = { kind, id };
  return change;
}
