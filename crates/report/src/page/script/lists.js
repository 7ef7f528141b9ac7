
// The lists beside the picture: transfers of the step, links, the selection, and the facts.

const LISTED_LINKS = 12;

function showTransfers() {
  const text = byId('text');
  text.hidden = !state.asText;
  byId('list').hidden = state.asText;
  if (stepCount === 0) return;
  const step = stepAt(state.step - 1);
  if (state.asText) {
    const lines = [stepText(state.step - 1)];
    for (let i = 0; i < step.count; i += 1) lines.push(transferText(step, i));
    text.textContent = lines.join('\n');
    return;
  }
  const entries = [];
  let shown = 0;
  for (let i = 0; i < step.count; i += 1) {
    if (!isShown(step, i)) continue;
    shown += 1;
    if (entries.length === LISTED) continue;
    const message = step.message[i];
    const action = () => { if (isKnown(message)) select('message', message); };
    entries.push({ text: transferText(step, i), colour: colourOf(message), action });
  }
  const left = shown - entries.length;
  const none = isIsolated() ? 'No transfer of the selection in this step.' : 'No transfer in this step.';
  fillRows(byId('list'), entries, left > 0 ? `and ${left.toLocaleString('en')} more; see the whole step as text` : shown === 0 ? none : '');
}

function showLinks() {
  if (state.tab !== 'links') return;
  const isTotal = state.colouring === 'all';
  if (isTotal && !totals.isReady) return;
  const shares = loadShares();
  const links = [...channelsOf.keys()].filter(resource => channelsOf[resource].length > 0);
  const mean = links.reduce((sum, resource) => sum + shares[resource], 0) / Math.max(1, links.length);
  const idle = links.filter(resource => shares[resource] === 0);
  const busiest = links.filter(resource => shares[resource] > 0).sort((one, other) => shares[other] - shares[one] || one - other);
  const when = isTotal ? `in all ${counted(stepCount, 'step')}` : `in step ${state.step}`;
  byId('load-words').textContent = `${percent(mean)} of the capacity of ${counted(links.length, 'link')} is used ${when}. `
    + `${counted(idle.length, 'link')} ${idle.length === 1 ? 'is' : 'are'} idle.`;
  const entry = resource => ({ text: `${percent(shares[resource])}  ${linkName(resource)}`, colour: shares[resource] > 0 ? loadColour(shares[resource]) : theme.colours.idle, action: () => select('link', resource) });
  const more = list => (list.length > LISTED_LINKS ? `and ${(list.length - LISTED_LINKS).toLocaleString('en')} more` : '');
  byId('busiest-heading').textContent = `Busiest links ${when}`;
  byId('idle-heading').textContent = `Idle links ${when}`;
  fillRows(byId('busiest'), busiest.slice(0, LISTED_LINKS).map(entry), busiest.length === 0 ? 'none' : more(busiest));
  fillRows(byId('idle'), idle.slice(0, LISTED_LINKS).map(entry), idle.length === 0 ? 'none' : more(idle));
}

/** Returns all transfers as rows of a table. */
function csvRows() {
  const rows = [['step', 'message', 'source', 'sender', 'receiver', 'path', ...(record.time ? ['begin in s', 'end in s'] : [])]];
  const name = node => record.nodes[node] || '';
  for (let index = 0; index < stepCount; index += 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      const message = step.message[i];
      const transfer = firstOf[index] + i;
      const times = clock.transfers ? [clock.transfers.begin[transfer], clock.transfers.sent[transfer]] : [clock.begin[index], clock.end[index]];
      rows.push([index + 1, message, isKnown(message) ? name(sourceOf(message)) : '', name(step.sender[i]), name(step.receiver[i]), pathText(step, i), ...(record.time ? times : [])]);
    }
  }
  return rows;
}

/** Shows the selection: its words, related objects, and its transfers in all steps. */
function showSelection() {
  byId('selection').hidden = !state.select;
  if (!state.select) return;
  byId('selected').textContent = `Only ${selectionText()}`;
  byId('directions').hidden = !(state.select.kind === 'sender' && isTerminal[state.select.id] === 1);
  for (const button of document.querySelectorAll('[data-direction]')) button.setAttribute('aria-pressed', String(button.dataset.direction === state.direction));
  const related = byId('related');
  related.replaceChildren(...relatedObjects().map(({ kind, id, text }) => element('button', text, { type: 'button', onclick: () => (kind === 'fault' ? chooseFault(id) : select(kind, id)) })));
  const entries = [];
  let found = 0;
  for (let index = 0; totals.isReady && index < stepCount; index += 1) {
    const step = stepAt(index);
    for (let i = 0; i < step.count; i += 1) {
      if (!isShown(step, i)) continue;
      found += 1;
      if (entries.length === LISTED) continue;
      entries.push({ text: `step ${index + 1}: ${historyText(step, i)}`, colour: colourOf(step.message[i]), action: () => update({ step: index + 1 }), isDim: index + 1 !== state.step });
    }
  }
  const left = found - entries.length;
  const words = totals.isReady ? 'No transfer in any step.' : 'Reading the steps …';
  fillRows(byId('history'), entries, left > 0 ? `and ${left.toLocaleString('en')} more transfers` : found === 0 ? words : '');
}

const historyText = (step, i) => (state.select.kind === 'message' ? pathText(step, i) : transferText(step, i));

const nodeKind = node => (isTerminal[node] === 1 ? 'terminal' : 'switch');

function relatedObjects() {
  const { kind, id } = state.select;
  const related = [];
  const addGroup = node => {
    const group = groupOf(node);
    if (group !== -1) related.push({ kind: 'group', id: group, text: groupName(group) });
  };
  if (kind === 'message') {
    related.push({ kind: 'sender', id: sourceOf(id), text: `${nodeKind(sourceOf(id))} ${nodeName(sourceOf(id))}` });
    addGroup(sourceOf(id));
  }
  if (kind === 'sender') addGroup(id);
  if (kind === 'link') {
    const nodes = new Set((channelsOf[id] || []).slice(0, 4).flatMap(channel => [network.tail[channel], network.head[channel]]));
    for (const node of nodes) related.push({ kind: 'sender', id: node, text: `${nodeKind(node)} ${nodeName(node)}` });
  }
  for (const { fault, place } of chosenFault === 0 ? faultsOf(kind, id) : []) related.push({ kind: 'fault', id: place, text: `without ${clip(fault.fault, 40)}: ${fault.summary}` });
  return related;
}

function showLegend() {
  const legend = byId('legend');
  const entries = [];
  const add = (...entry) => entries.push(legendEntry(...entry));
  if (state.colouring === 'messages') {
    const keys = record.colours.keys;
    const heading = keys !== null && 16 >= keys.length && keys.length > 0;
    if (heading) entries.push(element('span', `${record.colours.heading}:`));
    for (const key of heading ? keys : []) {
      if (record.colours.by_source) add(nodeName(key), colourOf(firstMessageOf(key)), () => selectSource(key), false);
      else add(messageLabel(key), colourOf(key), () => select('message', key), false);
    }
    if (!heading) entries.push(element('span', record.colours.by_source ? 'One colour per source' : 'One colour per message'));
    if (isIsolated()) entries.push(element('span', `Only ${selectionText()}`, { className: 'chip' }));
  } else {
    entries.push(element('span', 'Share of the capacity:'));
    theme.ramp.forEach((colour, place) => add(place === 0 ? '> 0' : place === theme.ramp.length - 1 ? '100 %' : '', colour, null, false));
    add('idle', theme.colours.idle, null, true);
  }
  if (hasFar && state.colouring === 'messages') entries.push(element('span', FAR_NOTE));
  legend.replaceChildren(...entries);
}

const firstMessageOf = source => messages.source.indexOf(source) * record.chunks;

/** Selects the messages of a source: its only message, otherwise what it sends. */
function selectSource(source) {
  const original = messages.source.indexOf(source);
  const isOnly = record.chunks === 1 && messages.source.lastIndexOf(source) === original;
  if (isOnly) select('message', original);
  else select('sender', source);
}

function showFacts() {
  byId('network').textContent = record.network;
  byId('problem').textContent = [record.collective, record.model, counted(stepCount, 'step'), record.network_size, ...(chosenFault > 0 ? [`without ${record.fault}`] : [])].join(' · ');
  byId('verdict').textContent = record.verdict_words;
  byId('verdict').className = record.verdict;
  byId('bound').textContent = record.bound;
  const transfers = record.transfers.reduce((sum, count) => sum + count, 0);
  const facts = [
    ['Network', `${record.network}: ${record.network_size}`],
    ...(chosenFault > 0 ? [['Faults', record.fault], ['Without faults', faults[0].summary], ['With the faults', record.summary]] : []),
    ['Collective', record.collective],
    ['Model', record.model],
    ['Messages', `${counted(messages.count, 'message')}${record.chunks > 1 ? `, each in ${record.chunks} chunks` : ''}`],
    ['Steps', widthSum === stepCount ? String(stepCount) : `${stepCount}, of width ${widthSum} together`],
    ['Widths', record.widths.length === 0 ? 'all 1' : record.widths.join(', ')],
    ['Transfers', transfers.toLocaleString('en')],
    ['Verdict', record.verdict_words],
    ...(record.bound ? [['Bound', record.bound]] : []),
    ...record.details,
    ...record.notes.map(note => ['Note', note]),
  ];
  fillFacts(byId('facts'), facts);
}
