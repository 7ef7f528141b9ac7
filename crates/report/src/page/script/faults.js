
// The faults of a recovery book. Each set of faults has a schedule of its own, and the page reads the chosen one.

const MOST_FAULTS = 6;
const faults = record.faults || [];

/** Reads the page again for a set of faults. */
function chooseFault(place) {
  setAddress(place === 0 ? ['step=1'] : ['step=1', `fault=${place}`]);
  location.reload();
}

function showFaults() {
  const field = byId('fault');
  byId('fault-label').hidden = faults.length === 0;
  const option = ({ fault, summary }, place) => element('option', `${clip(fault, 60)}: ${summary}`, { value: place, selected: place === chosenFault });
  field.replaceChildren(...faults.map(option));
  field.addEventListener('change', () => chooseFault(Number(field.value)));
}

/** Returns the first sets of faults in which a link or a node fails. */
function faultsOf(kind, id) {
  const hasFailed = ({ failed_channels: channels, failed_nodes: nodes }) => (kind === 'sender'
    ? nodes.includes(id)
    : nodes.length === 0 && channels.some(channel => network.resource[channel] === id));
  return faults.map((fault, place) => ({ fault, place })).filter(({ fault }) => hasFailed(fault)).slice(0, MOST_FAULTS);
}
