
// The texts of a plan.

const PATH_NODES = 40;

/** Returns the label of a message: its source, its only receiver, and its chunk if there are several. */
function messageLabel(message) {
  if (!isKnown(message)) return 'unknown message';
  const source = nodeName(sourceOf(message));
  const receiver = onlyReceiver(message);
  const isCollected = record.pattern === 'gather' || record.pattern === 'reduce';
  const ends = receiver === -1 ? source : isCollected ? `${nodeName(receiver)} → ${source}` : `${source} → ${nodeName(receiver)}`;
  return record.chunks === 1 ? ends : `${ends} #${message % record.chunks}`;
}

/** Whether each source has one message, so that its name is enough. */
const hasOnePerSource = new Set(messages.source).size === messages.count;

/** Whether the ends of messages tell them apart. */
const isLabelled = (() => {
  const ends = new Set();
  for (let original = 0; original < messages.count; original += 1) ends.add(messages.source[original] * nodeCount + messages.receiver[original]);
  return ends.size === messages.count;
})();

/** Returns the words for a message: `22's message`, `message 0 → 5`, with its chunk if there are several. A sum has no owner: `message 10 (22)`. */
function messageName(message) {
  const label = messageLabel(message);
  if (!isKnown(message)) return `message ${message} (${label})`;
  if (onlyReceiver(message) !== -1 && isLabelled) return `message ${label}`;
  if (isSum || !hasOnePerSource) return `message ${message} (${label})`;
  return `${nodeName(sourceOf(message))}'s message${record.chunks === 1 ? '' : ` #${message % record.chunks}`}`;
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

const transferText = (step, i) => `${messageName(step.message[i])}: ${pathText(step, i)}`;

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
