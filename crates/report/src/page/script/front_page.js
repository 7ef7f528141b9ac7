
// The page of a front: charts, a list of designs, and the chosen design with its network.

const MOST_NUMBERS = 60;
const DRAWING = 310;
const KEYS = [
  ['Tab', 'next entry of the list'],
  ['↑ ↓', 'previous and next entry of the list'],
  ['Enter', 'open the page of the chosen entry, or its network'],
  ['D', 'change the colour scheme'],
  ['?', 'show the keys'],
  ['Pointer', 'hover over a curve, a point or a name to see its values; click to open its network, or to keep it; a second click opens its page'],
];
const tip = byId('tip');
const drawing = byId('drawing');

/** The design that stays shown, and the one below the pointer; -1 is none. */
const state = { design: -1, hovered: -1 };

const shown = () => (state.hovered === -1 ? state.design : state.hovered);

/** The colours of designs belong to the document, so that charts follow the colour scheme. */
function showTheme() {
  readTheme();
  theme.palette.forEach((colour, place) => document.documentElement.style.setProperty(`--colour-${place}`, colour));
  byId('scheme').textContent = schemeWords();
  showDesign();
}

function writeAddress() {
  const fields = state.design === -1 ? [] : [`design=${state.design + 1}`];
  if (theme.choice !== 'system') fields.push(`theme=${theme.choice}`);
  setAddress(fields);
}

function readAddress() {
  const fields = new Map(location.hash.slice(1).split('&').map(field => field.split('=')));
  const number = Number(fields.get('design'));
  if (['light', 'dark'].includes(fields.get('theme'))) theme.choice = fields.get('theme');
  if (Number.isInteger(number) && number >= 1 && record.designs.length >= number) state.design = number - 1;
}

/** Shows the facts, the link and the network of the chosen or hovered design. */
function showDesign() {
  const place = shown();
  const design = record.designs[place];
  for (const group of document.querySelectorAll('[data-design]')) {
    const isChosen = Number(group.dataset.design) === place;
    group.classList.toggle('chosen', isChosen);
    group.classList.toggle('faint', place !== -1 && !isChosen);
  }
  byId('chosen-name').textContent = design ? design.name : '';
  fillFacts(byId('chosen-facts'), design ? design.facts : []);
  byId('chosen-link').replaceChildren(...(design && design.link ? [element('a', `Open ${design.link}`, { href: design.link })] : []));
  byId('status').textContent = design ? `${design.name}: ${design.facts.map(([name, text]) => `${name} ${text}`).join(', ')}.` : record.hint;
  drawing.hidden = !(design && design.drawing);
  byId('enlarge').hidden = drawing.hidden || place !== state.design;
  if (!drawing.hidden) draw(drawing, [DRAWING, DRAWING], design);
}

/** Draws the network of a design on a canvas, in a room of some width and height. */
function draw(canvas, room, { name, drawing: { size, nodes, kinds, links } }) {
  const ratio = window.devicePixelRatio || 1;
  const scale = Math.min(room[0] / size[0], room[1] / size[1]);
  const [width, height] = size.map(length => length * scale);
  Object.assign(canvas, { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  canvas.setAttribute('aria-label', `The network of ${name}: ${counted(kinds.length, 'node')}`);
  const layer = canvas.getContext('2d');
  layer.setTransform(scale * ratio, 0, 0, scale * ratio, 0, 0);
  layer.beginPath();
  for (let i = 0; i < links.length; i += 2) {
    layer.moveTo(nodes[2 * links[i]], nodes[2 * links[i] + 1]);
    layer.lineTo(nodes[2 * links[i + 1]], nodes[2 * links[i + 1] + 1]);
  }
  layer.strokeStyle = theme.colours.muted;
  layer.lineWidth = 0.8 / scale;
  layer.globalAlpha = links.length > 800 ? 0.35 : 0.7;
  layer.stroke();
  layer.globalAlpha = 1;
  const radius = Math.min(9, 4.5 / scale);
  kinds.forEach((isTerminal, node) => {
    layer.fillStyle = isTerminal === 1 ? theme.colours.accent : theme.colours.muted;
    layer.fillRect(nodes[2 * node] - radius, nodes[2 * node + 1] - radius, 2 * radius, 2 * radius);
  });
}

/** Keeps a design shown; a second time, opens its page or its network. */
function choose(place) {
  if (state.design === place && place !== -1) {
    openDesign(place);
    return;
  }
  state.design = place;
  writeAddress();
  showDesign();
}

/** Opens the page of a design, or its network in the whole window. */
function openDesign(place) {
  const { link, drawing: network, name } = record.designs[place];
  if (link) location.href = link;
  if (link || !network) return;
  byId('large-name').textContent = `The network of ${name}`;
  byId('large').showModal();
  draw(byId('large-drawing'), [window.innerWidth - 120, window.innerHeight - 190], record.designs[place]);
}

/** Keeps the design of a point shown, and opens its network. */
function chooseInChart(place) {
  const isNetwork = place !== -1 && !record.designs[place].link;
  if (state.design !== place || !isNetwork) choose(place);
  if (isNetwork) openDesign(place);
}

function hover(place) {
  if (state.hovered === place) return;
  state.hovered = place;
  showDesign();
}

function watchCharts() {
  const designOf = event => {
    const found = event.target.closest('[data-design]');
    return found ? Number(found.dataset.design) : -1;
  };
  byId('page').addEventListener('pointermove', event => hover(designOf(event)));
  byId('page').addEventListener('pointerleave', () => hover(-1));
  byId('charts').addEventListener('click', event => chooseInChart(designOf(event)));
  byId('enlarge').addEventListener('click', () => openDesign(state.design));
  drawing.addEventListener('click', () => openDesign(shown()));
}

function showList() {
  const entry = (design, place) => ({ text: design.label, colour: `var(--colour-${place % record.colours.light.length})`, action: () => choose(place) });
  fillRows(byId('designs'), record.designs.map(entry), '');
  document.querySelectorAll('#designs button').forEach((button, place) => {
    button.dataset.design = place;
    button.addEventListener('focus', () => hover(place));
    button.addEventListener('blur', () => hover(-1));
  });
}

function watchKeys() {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open || byId('large').open) return;
    const last = record.designs.length - 1;
    const actions = {
      ArrowDown: () => choose(Math.min(last, state.design + 1)),
      ArrowUp: () => choose(Math.max(0, state.design - 1)),
      Escape: () => choose(-1),
      d: nextScheme,
      '?': () => byId('keys').showModal(),
    };
    const isEnd = (event.key === 'ArrowDown' && state.design === last) || (event.key === 'ArrowUp' && state.design <= 0);
    if (!actions[event.key]) return;
    event.preventDefault();
    if (!isEnd) actions[event.key]();
  });
}

/** Draws the charts in the width of the window. */
function showCharts() {
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, byId('charts').clientWidth));
  if (SIZE.width === width) return;
  SIZE.width = width;
  byId('charts').replaceChildren(...record.charts.map(chartOf));
}

function begin() {
  byId('page').hidden = false;
  readAddress();
  byId('network').textContent = record.title;
  byId('subtitle').textContent = record.subtitle;
  fillFacts(byId('facts'), [...record.facts, ...record.notes.map(note => ['note', note])]);
  fillFacts(byId('key-list'), KEYS);
  showCharts();
  showList();
  showTheme();
  watchCharts();
  watchKeys();
  watchSave();
  byId('scheme').addEventListener('click', nextScheme);
  byId('help').addEventListener('click', () => byId('keys').showModal());
  systemScheme.addEventListener('change', showTheme);
  watchLayout(() => { showCharts(); showDesign(); }, () => []);
  window.addEventListener('hashchange', () => {
    readAddress();
    showTheme();
  });
}

begin();
