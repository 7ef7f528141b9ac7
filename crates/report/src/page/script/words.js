
// The words of all pages. Every text reaches the document as text, never as markup.

const NAME_LETTERS = 24;

const clip = (text, most) => {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : text;
};
const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
const percent = share => `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)} %`;
const nodeName = node => (node >= 0 && node < nodeCount ? clip(record.nodes[node], NAME_LETTERS) : `unknown node ${node}`);

/** Returns a time in seconds with a unit, as the terminal writes it. */
function seconds(time) {
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];
  const [size, unit] = units.find(([limit]) => time >= limit) || units[3];
  return time === 0 ? '0 s' : `${Number((time / size).toPrecision(4))} ${unit}`;
}

/** Returns the ends of a resource: `a → b` for a channel, `a ↔ b` for two opposite ones. */
function linkName(resource) {
  const channels = channelsOf[resource] || [];
  if (channels.length === 0) return `link ${resource}`;
  const [first, second] = channels;
  const ends = [network.tail[first], network.head[first]].map(nodeName);
  if (channels.length === 1) return ends.join(' → ');
  const isPair = channels.length === 2 && network.tail[second] === network.head[first] && network.head[second] === network.tail[first];
  return isPair ? ends.join(' ↔ ') : `${ends.join(' → ')} and ${channels.length - 1} more`;
}

/** Returns the name of a group: `host a`, or `group of 5`. */
const groupName = group => (record.groups.noun === 'host' ? `host ${record.groups.names[group]}` : record.groups.names[group]);

/** Returns a number of bytes with a unit, as the terminal writes it. */
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${bytes / 1024 ** power}${units[power]}`;
}

/** Creates an element with a text and properties. */
function element(name, text, properties) {
  const created = document.createElement(name);
  if (text !== undefined) created.textContent = text;
  return Object.assign(created, properties || {});
}

const byId = id => document.getElementById(id);

/** Writes the address. The document of an iframe with `srcdoc`, as Jupyter shows it, has no address of its own. */
function setAddress(fields) {
  if (location.protocol !== 'about:') history.replaceState(null, '', `#${fields.join('&')}`);
}
