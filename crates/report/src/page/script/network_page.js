
// The page of a network: its picture, lists and controls.

const MOST_LEGEND_CLASSES = 8;
const MOST_ROWS = 300;
const KEYS = [
  ['P, M, N, L', 'show properties, metrics, nodes, links'],
  ...PICTURE_KEYS,
  ['/', 'find a node, a host or a link'],
  ['Pointer', 'hover for properties; click to isolate a node, a link or a host; drag to move; wheel to zoom'],
];
const ACTIONS = {
  p: () => update({ tab: 'about' }),
  m: () => update({ tab: 'metrics' }),
  n: () => update({ tab: 'nodes' }),
  l: () => update({ tab: 'links' }),
  ...PICTURE_ACTIONS,
};

const addOthers = () => {};
const busyChannels = () => new Map();
const hasClasses = record.classes.length > 1;
const classColour = place => theme.palette[place % theme.palette.length];

/** Draws the links in the colours of their classes; those that do not belong to the selection are thin. */
function drawStep() {
  const layer = transferLayer;
  clearLayer(layer);
  drawSelectedLink(layer, selected('link'));
  const bins = record.classes.map(() => []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 1 && isShown(channel)) bins[classOf[channel]].push(channel);
  }
  bins.forEach((channels, place) => {
    layer.strokeStyle = hasClasses ? classColour(place) : theme.colours[isIsolated() ? 'accent' : 'muted'];
    layer.lineWidth = isIsolated() ? lineWidth(2.4, 1.6) : lineWidth(hasClasses ? 1.6 : 1, 0.7);
    for (const far of isIsolated() ? [null] : [0, 1]) {
      layer.globalAlpha = far === 1 ? PALE : 1;
      strokeChannels(layer, far === null ? channels : channels.filter(channel => isFar[channel] === far));
    }
  });
  layer.globalAlpha = 1;
  drawMarks(layer, shareInSelection(), selected('node'));
}

/** Fills the neighbours of the selected node, or the nodes of the selected group. */
function shareInSelection() {
  if (!state.select) return null;
  const near = new Set();
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 1 && isShown(channel)) near.add(network.tail[channel]).add(network.head[channel]);
  }
  const isNear = node => (state.select.kind === 'group' ? groupOf(node) === state.select.id : near.has(node));
  return node => (isNear(node) ? 1 : 0);
}

const factText = ([name, text]) => `${name}: ${text}`;
const describeNode = node => [`${kindOf(node)} ${nodeName(node)}`, ...nodeFacts(node).map(factText)];

function describeChannel({ channel }) {
  if (network.isWorking[channel] === 0) return [`failed channel ${nodeName(network.tail[channel])} → ${nodeName(network.head[channel])}`];
  const resource = network.resource[channel];
  return [`link ${linkName(resource)}`, ...linkFacts(resource).map(factText)];
}

function selectObject(found) {
  if (!found) update({ select: null });
  else if (found.node !== undefined) select('node', found.node);
  else select('link', network.resource[found.channel]);
}

function showFacts() {
  byId('network').textContent = record.network;
  byId('size').textContent = record.network_size;
  fillFacts(byId('facts'), [...record.properties, ...record.notes.map(note => ['note', note])]);
  byId('metrics').replaceChildren(...record.metrics.map(({ name, score, better, about }) => {
    const row = element('div', undefined, { className: 'metric' });
    row.append(element('h2', name), element('strong', score), element('span', better), element('p', about));
    return row;
  }));
}

function showSelection() {
  byId('selection').hidden = !state.select;
  const entries = [];
  const links = new Set();
  byId('status').textContent = state.select ? `Only ${selectionText()}.` : `${record.network_size}.`;
  if (!state.select) return;
  const { kind, id } = state.select;
  byId('selected').textContent = `Only ${selectionText()}`;
  fillFacts(byId('selected-facts'), kind === 'node' ? nodeFacts(id) : kind === 'link' ? linkFacts(id) : []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 1 && isShown(channel)) links.add(network.resource[channel]);
  }
  const ends = new Set(kind === 'link' ? channelsOf[id].flatMap(channel => [network.tail[channel], network.head[channel]]) : []);
  for (const node of ends) entries.push(nodeEntry(node));
  if (kind !== 'link') for (const resource of [...links].slice(0, LISTED)) entries.push(linkEntry(resource));
  const left = kind === 'link' ? 0 : links.size - Math.min(links.size, LISTED);
  fillRows(byId('history'), entries, left > 0 ? `and ${counted(left, 'more link')}` : '');
  const groups = new Set([...(kind === 'node' ? [id] : []), ...ends].map(groupOf).filter(group => group !== -1));
  byId('related').replaceChildren(...[...groups].map(group => element('button', groupName(group), { type: 'button', onclick: () => select('group', group) })));
}

const nodeEntry = node => ({ text: `${kindOf(node)} ${nodeName(node)}, ${outgoing[node].length} out, ${incoming[node].length} in`, action: () => go({ kind: 'node', id: node }) });

function linkEntry(resource) {
  const facts = record.classes[classOf[channelsOf[resource][0]]].map(([, text]) => text);
  return { text: [linkName(resource), ...facts].join(', '), colour: hasClasses ? classColour(classOf[channelsOf[resource][0]]) : undefined, action: () => go({ kind: 'link', id: resource }) };
}

function showLists() {
  const list = (name, ids, entry) => {
    const left = ids.length - Math.min(ids.length, MOST_ROWS);
    fillRows(byId(name), ids.slice(0, MOST_ROWS).map(entry), left > 0 ? `and ${left.toLocaleString('en')} more; use Find` : '');
  };
  list('node-list', [...record.nodes.keys()], nodeEntry);
  list('link-list', [...channelsOf.keys()].filter(resource => channelsOf[resource].length > 0), linkEntry);
}
function showLegend() {
  const entries = [];
  const words = facts => facts.map(([, text]) => text).join(', ');
  if (hasClasses) record.classes.slice(0, MOST_LEGEND_CLASSES).forEach((facts, place) => entries.push(legendEntry(words(facts), classColour(place))));
  if (record.classes.length > MOST_LEGEND_CLASSES) entries.push(element('span', `and ${record.classes.length - MOST_LEGEND_CLASSES} more kinds of links`));
  if (hasFar) entries.push(element('span', FAR_NOTE));
  byId('legend').replaceChildren(...entries);
}

/** Returns the links as rows of a table. */
function csvRows() {
  const names = record.classes.length > 0 ? record.classes[0].map(([name]) => name) : [];
  const rows = [['tail', 'head', ...names]];
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 0) continue;
    rows.push([record.nodes[network.tail[channel]], record.nodes[network.head[channel]], ...record.classes[classOf[channel]].map(([, text]) => text)]);
  }
  return rows;
}

function showTheme() {
  readTheme();
  drawPicture();
  showLegend();
  showLists();
  showTabs();
}

function show(change) {
  if ('select' in change) {
    drawStep();
    showSelection();
  }
  showTabs();
}

function begin() {
  byId('page').hidden = false;
  const change = readAddress();
  frame.setAttribute('aria-label', `${record.network}: picture of the network`);
  showFacts();
  showKeys(KEYS);
  readTheme();
  resizePicture();
  listeners.push(show);
  update({ select: null, ...change });
  showTheme();
  watchClicks({});
  watchSave();
  watchCommand();
  watchKeys(ACTIONS);
  watchPointer();
  watchSearch();
  systemScheme.addEventListener('change', showTheme);
  window.addEventListener('hashchange', () => update(readAddress()));
  watchLayout(() => {
    resizePicture();
    drawPicture();
  }, () => [[frame, pictureSvg()]]);
}

begin();
