
// What the page of a network shows: a selection, as in `#select=node:g0_5`. Links have classes of capacity and latency.

const KINDS = ['node', 'link', 'group'];
const NODE = 'node';
const TABS = ['about', 'metrics', 'nodes', 'links'];
const FIRST_STATE = {};

const limitState = () => {};
const addressFields = () => [];
const readFields = () => ({});

/** The class of each channel. */
const classOf = (() => {
  const decoder = new Decoder(parts[1]);
  const model = new NumberModel();
  return Uint32Array.from({ length: record.channels }, () => model.get(decoder));
})();

function selectionLimit(kind) {
  const groups = record.groups ? record.groups.names.length : 0;
  return { node: nodeCount, link: record.resources, group: groups }[kind];
}

/** Returns the name of an object in the address, or undefined. */
function objectName(kind, id) {
  if (kind === 'node') return record.nodes[id];
  if (kind === 'link') return channelsOf[id].length > 0 ? linkName(id) : undefined;
  return record.groups ? record.groups.names[id] : undefined;
}

/** Returns a node of an object, or -1. */
function nodeOf(kind, id) {
  if (kind === 'node') return id;
  return kind === 'link' && channelsOf[id].length > 0 ? network.tail[channelsOf[id][0]] : -1;
}

/** Returns true if a channel belongs to the selected object, or nothing is selected. */
function isShown(channel) {
  if (!state.select) return true;
  const { kind, id } = state.select;
  const ends = [network.tail[channel], network.head[channel]];
  if (kind === 'node') return ends.includes(id);
  if (kind === 'link') return network.resource[channel] === id;
  return ends.some(node => groupOf(node) === id);
}

const KIND_WORDS = ['terminal', 'switch', 'terminal', 'failed node'];
const kindOf = node => KIND_WORDS[network.marks[node].role];

function selectionText() {
  const { kind, id } = state.select;
  if (kind === 'node') return `${kindOf(id)} ${nodeName(id)}`;
  if (kind === 'link') return `link ${linkName(id)}`;
  return groupName(id);
}

/** The working channels that enter each node, ascending. */
const incoming = (() => {
  const rows = Array.from({ length: nodeCount }, () => []);
  for (let channel = 0; channel < record.channels; channel += 1) {
    if (network.isWorking[channel] === 1) rows[network.head[channel]].push(channel);
  }
  return rows;
})();

/** Returns the properties of a node: names and values. */
function nodeFacts(node) {
  const facts = [];
  if (groupOf(node) !== -1) facts.push([record.groups.noun, record.groups.names[groupOf(node)]]);
  const neighbours = new Set([...outgoing[node].map(channel => network.head[channel]), ...incoming[node].map(channel => network.tail[channel])]);
  facts.push(['channels', `${outgoing[node].length} out, ${incoming[node].length} in`]);
  facts.push(['neighbours', String(neighbours.size)]);
  if (record.has_capacities) {
    const sum = channels => channels.reduce((total, channel) => total + network.capacity[channel], 0);
    facts.push(['capacity', `${bandwidthText(sum(outgoing[node]))} out, ${bandwidthText(sum(incoming[node]))} in`]);
  }
  return facts;
}

/** Returns a capacity: in bytes per second if the network has bandwidths. */
function bandwidthText(units) {
  if (record.unit_bytes_per_second === null) return `${units.toLocaleString('en')} ${units === 1 ? 'unit' : 'units'}`;
  const bandwidth = units * record.unit_bytes_per_second;
  const [size, prefix] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']].find(([least]) => bandwidth >= least) || [1, ''];
  return `${Number((bandwidth / size).toPrecision(6))}${prefix}B/s`;
}

/** Returns the properties of a link: names and values. */
function linkFacts(resource) {
  const channels = channelsOf[resource];
  if (channels.length === 0) return [['state', 'failed']];
  const [first] = channels;
  const hosts = [network.tail[first], network.head[first]].map(groupOf);
  const facts = [];
  if (hosts.some(host => host !== -1)) facts.push([record.groups.noun, [...new Set(hosts)].map(host => (host === -1 ? 'none' : record.groups.names[host])).join(', ')]);
  facts.push(...record.classes[classOf[first]]);
  if (channels.length > 1) facts.push(['channels', `${channels.length}, which share the capacity`]);
  return facts;
}
