
// Controls of all pages: search, keys, tabs and zoom. Each page has its own `addOthers` for further objects
// of a search, and `nodeOf` for the place of an object.

const SUGGESTIONS = 12;
const PICTURE_KEYS = [
  ['+, −, 0', 'zoom in, zoom out, whole network'],
  ['Shift + arrows', 'move the picture'],
  ['Esc', 'clear the selection'],
  ['D', 'change the colour scheme'],
];
const PICTURE_ACTIONS = {
  '+': () => zoomPicture(1.3),
  '=': () => zoomPicture(1.3),
  '-': () => zoomPicture(1 / 1.3),
  0: () => { fitPicture(); drawPicture(); },
  '/': () => byId('search').focus(),
  Escape: () => update({ select: null }),
  d: nextScheme,
  '?': () => byId('keys').showModal(),
};
const PANS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };

/** Returns the objects whose names begin with a text: nodes first, then groups, links and others. */
function search(text) {
  const words = text.trim().toLowerCase();
  if (words === '') return [];
  const found = [];
  const add = (kind, id, label) => { if (SUGGESTIONS > found.length) found.push({ kind, id, label }); };
  const names = record.nodes.map(name => name.toLowerCase());
  names.forEach((name, node) => { if (name === words) add(NODE, node, `node ${record.nodes[node]}`); });
  names.forEach((name, node) => { if (name !== words && (name.startsWith(words) || `node ${name}`.startsWith(words))) add(NODE, node, `node ${record.nodes[node]}`); });
  (record.groups ? record.groups.names : []).forEach((name, group) => { if (name.toLowerCase().startsWith(words)) add('group', group, name); });
  for (let resource = 0; resource < record.resources && SUGGESTIONS > found.length; resource += 1) {
    if (channelsOf[resource].length > 0 && `link ${linkName(resource)}`.toLowerCase().includes(words)) add('link', resource, `link ${linkName(resource)}`);
  }
  addOthers(words, add, () => found.length >= SUGGESTIONS);
  return found;
}

function watchSearch() {
  const field = byId('search');
  let found = [];
  field.addEventListener('input', () => {
    const chosen = found.find(({ label }) => label === field.value);
    if (chosen) {
      go(chosen);
      return;
    }
    found = search(field.value);
    byId('found').replaceChildren(...found.map(({ label }) => element('option', undefined, { value: label })));
    field.classList.toggle('missing', field.value.trim() !== '' && found.length === 0);
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter' && search(field.value).length > 0) go(search(field.value)[0]);
    if (event.key === 'Escape') field.blur();
  });
}

/** Selects an object and moves the picture to it. */
function go({ kind, id }) {
  update({ select: { kind, id } });
  const node = nodeOf(kind, id);
  if (node !== -1) revealNode(node);
}

function watchKeys(actions) {
  document.addEventListener('keydown', event => {
    const target = event.target === document ? document.body : event.target;
    const isField = target.matches('select, input[type="search"]') || byId('keys').open;
    const isOwn = target.matches('button, input[type="checkbox"]') && event.key === ' ';
    const isSlider = target.id === 'step' && ['Home', 'End', 'ArrowLeft', 'ArrowRight'].includes(event.key);
    const isTab = target.matches('[role="tab"]') && event.key.startsWith('Arrow');
    if (isField || isOwn || isSlider || isTab || event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = event.shiftKey ? PANS[event.key] : undefined;
    const action = pan ? () => panPicture(...pan) : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  document.querySelector('[role="tablist"]').addEventListener('keydown', event => {
    const move = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
    if (!move) return;
    update({ tab: TABS[(TABS.indexOf(state.tab) + move) % TABS.length] });
    byId(`tab-${state.tab}`).focus();
  });
}

/** Connects buttons with actions: those of a page, and those of all pages. */
function watchClicks(clicks) {
  const all = {
    'zoom-in': () => zoomPicture(1.3),
    'zoom-out': () => zoomPicture(1 / 1.3),
    'zoom-fit': PICTURE_ACTIONS[0],
    clear: PICTURE_ACTIONS.Escape,
    help: PICTURE_ACTIONS['?'],
    scheme: nextScheme,
    ...clicks,
  };
  for (const [id, action] of Object.entries(all)) byId(id).addEventListener('click', action);
  for (const tab of document.querySelectorAll('[data-tab]')) tab.addEventListener('click', () => update({ tab: tab.dataset.tab }));
}

const showKeys = keys => fillFacts(byId('key-list'), keys);

function showTabs() {
  for (const tab of document.querySelectorAll('[data-tab]')) {
    const isChosen = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(`panel-${tab.dataset.tab}`).hidden = !isChosen;
  }
  byId('scheme').textContent = schemeWords();
}
