
// The texts of the page. Every text reaches the document as text, never as markup.

const NAME_LETTERS = 24;
const PATH_NODES = 40;

const clip = (text, most) => {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : text;
};
const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
const percent = share => `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)} %`;
const nodeName = node => (node >= 0 && node < nodeCount ? clip(record.nodes[node], NAME_LETTERS) : `unknown node ${node}`);

/** Returns a time in seconds with a unit. */
function seconds(time) {
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const [size, unit] = units.find(([limit]) => time >= limit) || units[3];
  return time === 0 ? '0 s' : `${Number((time / size).toPrecision(4))} ${unit}`;
}

/** Returns the label of a message: its source, its only receiver, and its chunk if there are several. */
function messageLabel(message) {
  if (!isKnown(message)) return 'unknown message';
  const source = nodeName(sourceOf(message));
  const receiver = onlyReceiver(message);
  const isCollected = record.pattern === 'gather' || record.pattern === 'reduce';
  const ends = receiver === -1 ? source : isCollected ? `${nodeName(receiver)} → ${source}` : `${source} → ${nodeName(receiver)}`;
  return record.chunks === 1 ? ends : `${ends} #${message % record.chunks}`;
}

/** Returns the nodes of a path: `0 → s1 → 5`. */
function pathText(step, i) {
  const path = pathOf(step, i);
  if (path.length === 0) return 'no path';
  const nodes = [];
  for (const channel of path.subarray(0, PATH_NODES)) {
    if (channel >= record.channels) return `unknown channel ${channel}`;
    const tail = network.tail[channel];
    if (nodes[nodes.length - 1] !== tail) nodes.push(tail);
    nodes.push(network.head[channel]);
  }
  return nodes.map(nodeName).join(' → ') + (path.length > PATH_NODES ? ' → …' : '');
}

const transferText = (step, i) => `message ${step.message[i]} (${messageLabel(step.message[i])}): ${pathText(step, i)}`;

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

const PHASES = ['', 'reduce', 'broadcast', 'reduce and broadcast'];
const phaseOf = index => PHASES[record.phases[index] || 0];

/** Describes a step, from 0, in one sentence for the live region. */
function stepText(index) {
  if (stepCount === 0) return 'The schedule has no steps.';
  const step = stepAt(index);
  const phase = phaseOf(index) ? `, ${phaseOf(index)}` : '';
  const width = widthOf(index) > 1 ? `, width ${widthOf(index)}` : '';
  const broken = step.missing > 0 ? `, ${step.missing} of them with an unknown message or channel, or no path` : '';
  return `Step ${index + 1} of ${stepCount}${phase}${width}: ${counted(step.count, 'transfer')}${broken}.`;
}

/** Describes the progress of the collective after a step. */
function progressText(state) {
  if (!state) return '';
  const noun = isSum ? 'result' : 'delivery';
  const plural = isSum ? 'results' : 'deliveries';
  return `${state.reachedCount.toLocaleString('en')} of ${state.goalCount.toLocaleString('en')} ${state.goalCount === 1 ? noun : plural} done.`;
}

/** Creates an element with a text and properties. */
function element(name, text, properties) {
  const created = document.createElement(name);
  if (text !== undefined) created.textContent = text;
  return Object.assign(created, properties || {});
}

const byId = id => document.getElementById(id);
