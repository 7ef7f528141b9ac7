
// Lists of buttons, legends, and lists of facts.

/** The longest list of objects. */
const LISTED = 60;

/** The rows of each list. New entries change them, because new elements take longer than the picture of a step. */
const rowsOf = new Map();

function createRow() {
  const [row, button, swatch, words] = [element('li'), element('button', undefined, { type: 'button' }), element('i'), element('span')];
  button.append(swatch, words);
  row.append(button);
  return { row, button, swatch, words };
}

/** Fills a list with buttons: each entry has a text, a colour or none, and what a click does. */
function fillRows(list, entries, remainder) {
  if (!rowsOf.has(list)) rowsOf.set(list, { rows: [], last: element('li', '', { className: 'remainder' }) });
  const { rows, last } = rowsOf.get(list);
  while (entries.length > rows.length) rows.push(createRow());
  entries.forEach(({ text, colour, action, isDim }, place) => {
    const { button, swatch, words } = rows[place];
    Object.assign(button, { onclick: action, className: isDim ? 'dim' : '' });
    swatch.hidden = !colour;
    swatch.style.background = colour || '';
    if (words.textContent !== text) words.textContent = text;
  });
  last.textContent = remainder;
  const shown = rows.slice(0, entries.length).map(({ row }) => row);
  if (remainder) shown.push(last);
  const isSame = list.childElementCount === shown.length && list.lastElementChild === (shown[shown.length - 1] || null);
  if (!isSame) list.replaceChildren(...shown);
}

/** Returns an entry of the legend: a button if there is an action. */
function legendEntry(text, colour, action, isDashed) {
  const entry = element(action ? 'button' : 'span', undefined, action ? { type: 'button', onclick: action } : {});
  const swatch = element('i', undefined, { className: isDashed ? 'dashed' : '' });
  swatch.style.setProperty('--swatch', colour);
  entry.append(swatch, text);
  return entry;
}

/** Fills a list of facts: names and values. */
const fillFacts = (list, facts) => list.replaceChildren(...facts.flatMap(([name, text]) => [element('dt', name), element('dd', text)]));
