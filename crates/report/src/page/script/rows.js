
// Lists of buttons, legends, and lists of facts.

/** The longest list of objects. */
const LISTED = 60;

/** Fills a list with buttons: each entry has a text, a colour or none, and what a click does. */
function fillRows(list, entries, remainder) {
  const rows = entries.map(({ text, colour, action, isDim }) => {
    const button = element('button', undefined, { type: 'button', onclick: action, className: isDim ? 'dim' : '' });
    if (colour) {
      const swatch = element('i');
      swatch.style.background = colour;
      button.append(swatch);
    }
    button.append(text);
    const row = element('li');
    row.append(button);
    return row;
  });
  if (remainder) rows.push(element('li', remainder, { className: 'remainder' }));
  list.replaceChildren(...rows);
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
