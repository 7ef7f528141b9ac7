
// The controls: steps, search, keys, colour scheme, and the start of the page.

const KEYS = [
  ['← →', 'previous and next step'],
  ['Home, End', 'first and last step'],
  ['Space', 'play or pause'],
  ['1, 2, 3', 'show messages, the load of this step, the load of all steps'],
  ['T, L, H, A', 'show transfers, links, what nodes hold, all facts'],
  ['+, −, 0', 'zoom in, zoom out, whole network'],
  ['Shift + arrows', 'move the picture'],
  ['/', 'find a node, a message or a link'],
  ['Esc', 'clear the selection'],
  ['D', 'change the colour scheme'],
  ['Pointer', 'hover for a description; click to isolate a message, a sender or a link; drag to move; wheel to zoom'],
];
const SIZES = [1024, 32768, 1048576, 67108864, 1073741824, 17179869184];
const SUGGESTIONS = 12;
const REPAINT = ['step', 'select', 'colouring'];
const RELAYOUT = ['select', 'busiestFirst', 'allRows', 'bytes'];

let timer = null;

function setPlaying(isPlaying) {
  clearInterval(timer);
  timer = null;
  if (isPlaying && stepCount > 0) {
    if (state.step === stepCount) update({ step: 1 });
    timer = setInterval(() => {
      if (state.step === stepCount) setPlaying(false);
      else update({ step: state.step + 1 });
    }, Number(byId('speed').value));
  }
  byId('play').textContent = timer ? '❚❚ Pause' : '▶ Play';
  byId('play').setAttribute('aria-pressed', String(timer !== null));
}

function showControls() {
  const slider = byId('step');
  slider.value = state.step;
  slider.setAttribute('aria-valuetext', `step ${state.step} of ${stepCount}`);
  const progress = progressText(holdingsAfter(state.step));
  const times = record.time && stepCount > 0 ? stepTimes(state.bytes) : null;
  const clock = times ? ` ${seconds(times[state.step - 1])} to ${seconds(times[state.step])}.` : '';
  byId('status').textContent = stepCount === 0 ? stepText(0) : `${stepText(state.step - 1)}${clock} ${progress}`.trim();
  for (const button of document.querySelectorAll('[data-colouring]')) {
    button.setAttribute('aria-pressed', String(button.dataset.colouring === state.colouring));
  }
  for (const tab of document.querySelectorAll('[data-tab]')) {
    const isChosen = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(`panel-${tab.dataset.tab}`).hidden = !isChosen;
  }
  byId('scheme').textContent = { system: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }[theme.choice];
}

function showPhases() {
  const band = byId('phases');
  const parts = [];
  record.phases.forEach((bits, index) => {
    const last = parts[parts.length - 1];
    if (last && last.bits === bits) last.count += 1;
    else parts.push({ bits, index, count: 1 });
  });
  band.replaceChildren(...parts.map(({ bits, count }) => {
    const part = element('span', PHASES[bits], { className: `phase-${bits}` });
    part.style.flexGrow = count;
    return part;
  }));
}

/** Returns the objects whose names begin with a text: nodes first, then messages and links. */
function search(text) {
  const words = text.trim().toLowerCase();
  if (words === '') return [];
  const found = [];
  const add = (kind, id, label) => { if (SUGGESTIONS > found.length) found.push({ kind, id, label }); };
  const number = /^message\s+(\d+)/.exec(words);
  if (number && isKnown(Number(number[1]))) add('message', Number(number[1]), `message ${number[1]} (${messageLabel(Number(number[1]))})`);
  const names = record.nodes.map(name => name.toLowerCase());
  names.forEach((name, node) => { if (name === words) add('sender', node, `node ${record.nodes[node]}`); });
  names.forEach((name, node) => { if (name !== words && (name.startsWith(words) || `node ${name}`.startsWith(words))) add('sender', node, `node ${record.nodes[node]}`); });
  (record.groups ? record.groups.names : []).forEach((name, group) => { if (name.toLowerCase().startsWith(words)) add('group', group, name); });
  for (let resource = 0; resource < record.resources && SUGGESTIONS > found.length; resource += 1) {
    if (channelsOf[resource].length > 0 && `link ${linkName(resource)}`.toLowerCase().includes(words)) add('link', resource, `link ${linkName(resource)}`);
  }
  for (let message = 0; message < Math.min(record.messages, 100000) && SUGGESTIONS > found.length; message += 1) {
    if (messageLabel(message).toLowerCase() === words) add('message', message, `message ${message} (${messageLabel(message)})`);
  }
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

function go({ kind, id }) {
  update({ select: { kind, id } });
  if (kind === 'sender') revealNode(id);
  if (kind === 'message' && isKnown(id)) revealNode(sourceOf(id));
}

function nextScheme() {
  theme.choice = { system: 'dark', dark: 'light', light: 'system' }[theme.choice];
  showTheme();
  writeAddress();
}

function showTheme() {
  readTheme();
  show({ step: state.step, select: state.select, colouring: state.colouring });
  drawBase();
  drawLabels();
  showFacts();
}

/** Shows a change of the state. */
function show(change) {
  const isRepaint = REPAINT.some(key => key in change);
  if (isRepaint) drawStep();
  showControls();
  if (isRepaint || 'asText' in change) showTransfers();
  if ('select' in change || (state.select && 'step' in change)) showSelection();
  if (RELAYOUT.some(key => key in change)) layOutTimeline();
  if (['select', 'colouring'].some(key => key in change)) showLegend();
  showLinks();
  showHeld();
  if (RELAYOUT.some(key => key in change)) {
    if ('select' in change) revealRow();
    drawTimeline();
    showAxis();
  } else {
    moveCursor();
  }
}

function showAxis() {
  const end = times[stepCount];
  const words = record.time ? `${seconds(end)} for ${sizeText(state.bytes)}, if each step begins when the one before has ended` : record.widths.length > 0 ? 'each step is as long as its width; the network has no bandwidths' : 'one column per step; the network has no bandwidths';
  byId('axis-words').textContent = !uses && totals.isReady ? `${words}; too many transfers to draw them by link` : words;
}

function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${bytes / 1024 ** power} ${units[power]}`;
}

const ACTIONS = {
  ArrowLeft: () => update({ step: state.step - 1 }),
  ArrowRight: () => update({ step: state.step + 1 }),
  Home: () => update({ step: 1 }),
  End: () => update({ step: stepCount }),
  ' ': () => setPlaying(timer === null),
  1: () => update({ colouring: 'messages' }),
  2: () => update({ colouring: 'step' }),
  3: () => update({ colouring: 'all' }),
  t: () => update({ tab: 'transfers' }),
  l: () => update({ tab: 'links' }),
  h: () => update({ tab: 'held' }),
  a: () => update({ tab: 'about' }),
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

function watchKeys() {
  document.addEventListener('keydown', event => {
    const target = event.target === document ? document.body : event.target;
    const isField = target.matches('select, input[type="search"]') || byId('keys').open;
    const isOwn = target.matches('button, input[type="checkbox"]') && event.key === ' ';
    const isSlider = target.id === 'step' && ['Home', 'End', 'ArrowLeft', 'ArrowRight'].includes(event.key);
    const isTab = target.matches('[role="tab"]') && event.key.startsWith('Arrow');
    if (isField || isOwn || isSlider || isTab || event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = event.shiftKey ? PANS[event.key] : undefined;
    const action = pan ? () => panPicture(...pan) : ACTIONS[event.key];
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

function watchButtons() {
  const clicks = {
    first: () => update({ step: 1 }),
    previous: () => update({ step: state.step - 1 }),
    play: () => setPlaying(timer === null),
    next: () => update({ step: state.step + 1 }),
    last: () => update({ step: stepCount }),
    'zoom-in': () => zoomPicture(1.3),
    'zoom-out': () => zoomPicture(1 / 1.3),
    'zoom-fit': ACTIONS[0],
    clear: ACTIONS.Escape,
    help: ACTIONS['?'],
    scheme: nextScheme,
  };
  for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener('click', action);
  for (const button of document.querySelectorAll('[data-colouring]')) button.addEventListener('click', () => update({ colouring: button.dataset.colouring }));
  for (const tab of document.querySelectorAll('[data-tab]')) tab.addEventListener('click', () => update({ tab: tab.dataset.tab }));
  byId('step').addEventListener('input', event => update({ step: Number(event.target.value) }));
  byId('speed').addEventListener('change', () => setPlaying(timer !== null));
  byId('as-text').addEventListener('change', event => update({ asText: event.target.checked }));
  byId('busiest-first').addEventListener('change', event => update({ busiestFirst: event.target.checked }));
  byId('all-rows').addEventListener('change', event => update({ allRows: event.target.checked }));
  byId('size').addEventListener('change', event => update({ bytes: Number(event.target.value) }));
}

function prepareControls() {
  Object.assign(byId('step'), { min: Math.min(1, stepCount), max: Math.max(1, stepCount), disabled: stepCount === 0 });
  byId('key-list').replaceChildren(...KEYS.flatMap(([key, text]) => [element('dt', key), element('dd', text)]));
  byId('size-label').hidden = !record.time;
  byId('size').replaceChildren(...SIZES.map(bytes => element('option', sizeText(bytes), { value: bytes, selected: bytes === state.bytes })));
  frame.setAttribute('aria-label', `${record.network}, ${record.collective}: picture of the network`);
  showPhases();
}

/** Draws the first step, then reads all others. */
function begin() {
  byId('page').hidden = false;
  const change = readAddress();
  readTheme();
  prepareControls();
  resizePicture();
  layOutTimeline();
  drawBase();
  drawLabels();
  showFacts();
  listeners.push(show);
  update({ step: state.step, select: null, colouring: state.colouring, ...change });
  watchButtons();
  watchKeys();
  watchPointer();
  watchTimeline();
  watchMatrix();
  watchSearch();
  systemScheme.addEventListener('change', showTheme);
  window.addEventListener('hashchange', () => update(readAddress()));
  new ResizeObserver(() => {
    resizePicture();
    layOutTimeline();
    drawPicture();
    drawTimeline();
  }).observe(byId('page'));
  decodeAll(() => {
    collectUses();
    show({ step: state.step, select: state.select, busiestFirst: state.busiestFirst });
  });
}

begin();
