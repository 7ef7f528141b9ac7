
// The controls: steps, search, keys, colour scheme, and the start of the page.

const KEYS = [
  ['← →', 'previous and next step'],
  ['Home, End', 'first and last step'],
  ['Space', 'play or pause'],
  ['1, 2, 3', 'show messages, the load of this step, the load of all steps'],
  ['T, L, H, A', 'show transfers, links, what nodes hold, all facts'],
  ...PICTURE_KEYS,
  ['/', 'find a node, a message or a link'],
  ['Pointer', 'hover for a description; click to isolate a message, a node or a link; drag to move; wheel to zoom'],
];
const SIZES = [1024, 32768, 1048576, 67108864, 1073741824, 17179869184];
const REPAINT = ['step', 'select', 'colouring', 'direction'];
const RELAYOUT = ['select', 'direction', 'rows', 'isAsynchronous', 'busiestFirst', 'allRows', 'bytes'];

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
  drawBusy();
  const progress = progressText(holdingsAfter(state.step));
  const [begin, end] = [clock.begin, clock.end].map(times => seconds(times[state.step - 1] || 0));
  const times = record.time && stepCount > 0 ? ` ${begin} to ${end}.` : '';
  byId('status').textContent = stepCount === 0 ? stepText(0) : `${stepText(state.step - 1)}${times} ${progress}`.trim();
  for (const button of document.querySelectorAll('[data-colouring]')) {
    button.setAttribute('aria-pressed', String(button.dataset.colouring === state.colouring));
  }
  showTabs();
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

/** Adds the messages of a search: by number, and by label. */
function addOthers(words, add, isFull) {
  const number = /^message\s+(\d+)/.exec(words);
  if (number && isKnown(Number(number[1]))) add('message', Number(number[1]), messageName(Number(number[1])));
  for (let message = 0; message < Math.min(record.messages, 100000) && !isFull(); message += 1) {
    const isFound = [messageLabel(message), messageName(message)].some(name => name.toLowerCase() === words);
    if (isFound) add('message', message, messageName(message));
  }
}

function showTheme() {
  readTheme();
  show({ step: state.step, select: state.select, colouring: state.colouring });
  drawBase();
  drawLabels();
  drawTimeline();
  drawBusy();
  showFacts();
}

/** Shows a change of the state. */
function show(change) {
  const isRepaint = REPAINT.some(key => key in change);
  if (RELAYOUT.some(key => key in change)) layOutTimeline();
  if (isRepaint) drawStep();
  showControls();
  if (isRepaint || 'asText' in change) showTransfers();
  if ('select' in change || (state.select && ('step' in change || 'direction' in change))) showSelection();
  if (['select', 'direction', 'colouring'].some(key => key in change)) showLegend();
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
  const synchronous = `if each step begins when the one before has ended${state.isAsynchronous && totals.isReady ? '; beginning each transfer as soon as it can is not faster' : ''}`;
  const order = clock.transfers ? 'if each transfer begins as soon as its data, links and ports are free; the critical path is outlined' : synchronous;
  const steps = record.widths.length > 0 ? 'each step is as long as its width; the network has no bandwidths' : 'one column per step; the network has no bandwidths';
  const words = record.time ? `${seconds(clock.last)} for ${sizeText(state.bytes)}, ${order}` : steps;
  byId('axis-words').textContent = !usesOf(state.rows) && totals.isReady ? `${words}; too many transfers to draw them by row` : words;
  byId('row-kind').value = state.rows;
  byId('asynchronous').checked = state.isAsynchronous;
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
  ...PICTURE_ACTIONS,
};

function watchButtons() {
  const clicks = {
    first: () => update({ step: 1 }),
    previous: () => update({ step: state.step - 1 }),
    play: () => setPlaying(timer === null),
    next: () => update({ step: state.step + 1 }),
    last: () => update({ step: stepCount }),
  };
  watchClicks(clicks);
  watchSave();
  watchCommand();
  for (const button of document.querySelectorAll('[data-direction]')) button.addEventListener('click', () => update({ direction: button.dataset.direction }));
  byId('row-kind').addEventListener('change', event => update({ rows: event.target.value }));
  byId('asynchronous').addEventListener('change', event => update({ isAsynchronous: event.target.checked }));
  for (const button of document.querySelectorAll('[data-colouring]')) button.addEventListener('click', () => update({ colouring: button.dataset.colouring }));
  byId('step').addEventListener('input', event => update({ step: Number(event.target.value) }));
  byId('speed').addEventListener('change', () => setPlaying(timer !== null));
  byId('as-text').addEventListener('change', event => update({ asText: event.target.checked }));
  byId('busiest-first').addEventListener('change', event => update({ busiestFirst: event.target.checked }));
  byId('all-rows').addEventListener('change', event => update({ allRows: event.target.checked }));
  byId('size').addEventListener('change', event => update({ bytes: Number(event.target.value) }));
}

function prepareControls() {
  Object.assign(byId('step'), { min: Math.min(1, stepCount), max: Math.max(1, stepCount), disabled: stepCount === 0 });
  showKeys(KEYS);
  for (const id of ['size-label', 'asynchronous-label']) byId(id).hidden = !record.time;
  byId('size').replaceChildren(...SIZES.map(bytes => element('option', sizeText(bytes), { value: bytes, selected: bytes === state.bytes })));
  frame.setAttribute('aria-label', `${record.network}, ${record.collective}: picture of the network`);
  showPhases();
  showFaults();
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
  watchKeys(ACTIONS);
  watchPointer();
  watchTimeline();
  watchMatrix();
  watchSearch();
  systemScheme.addEventListener('change', showTheme);
  window.addEventListener('hashchange', () => {
    const number = Number((/[#&]fault=(\d+)/.exec(location.hash) || [])[1] || 0);
    if (faults[number] && number !== chosenFault) location.reload();
    else update(readAddress());
  });
  watchLayout(() => {
    resizePicture();
    layOutTimeline();
    drawPicture();
    drawTimeline();
    drawBusy();
  }, () => [[frame, pictureSvg()], [rowsFrame, timelineSvg()]]);
  decodeAll(() => {
    drawBusy();
    show({ step: state.step, select: state.select, busiestFirst: state.busiestFirst });
  });
}

begin();
