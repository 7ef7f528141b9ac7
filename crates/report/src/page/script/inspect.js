
// Descriptions and selections of what is below the pointer on the picture of a plan.

/** The transfers of the shown step by channel, computed when the pointer first needs them. */
const below = { index: -1, transfers: new Map() };

function transfersByChannel(index) {
  if (below.index === index) return below.transfers;
  const transfers = new Map();
  const step = stepAt(index);
  for (let i = 0; i < step.count; i += 1) {
    for (const channel of pathOf(step, i)) {
      if (transfers.has(channel)) transfers.get(channel).push(i);
      else transfers.set(channel, [i]);
    }
  }
  Object.assign(below, { index, transfers });
  return transfers;
}

const busyChannels = () => (stepCount > 0 ? transfersByChannel(state.step - 1) : new Map());

function describeNode(node) {
  const mark = network.marks[node];
  const kind = ['terminal', 'switch', 'terminal', 'failed node'][mark.role];
  const lines = [`${kind} ${nodeName(node)}`];
  if (groupOf(node) !== -1) lines.push(groupName(groupOf(node)));
  const held = holdingsAfter(state.step);
  if (held && held.goals[node] > 0) {
    const noun = isSum ? 'results' : 'messages';
    lines.push(`holds ${held.reached[node]} of ${held.goals[node]} ${noun} after step ${state.step}`);
  }
  return lines;
}

function describeChannel({ channel, transfers }) {
  const resource = network.resource[channel];
  const lines = [`link ${linkName(resource)}`];
  if (network.capacity[channel] > 1) lines[0] += `, capacity ${network.capacity[channel]}`;
  if (network.isWorking[channel] === 0) return [`failed channel ${nodeName(network.tail[channel])} → ${nodeName(network.head[channel])}`];
  const shown = transfers.filter(i => isShown(stepAt(state.step - 1), i));
  for (const i of shown.slice(0, 4)) lines.push(transferText(stepAt(state.step - 1), i));
  if (shown.length > 4) lines.push(`and ${shown.length - 4} more`);
  if (transfers.length === 0) lines.push(`idle in step ${state.step}`);
  if (totals.isReady) {
    lines.push(`${counted(totals.loads[resource], 'transfer')} in ${totals.busySteps[resource]} of ${counted(stepCount, 'step')}`);
  }
  return lines;
}

/** Selects the message of a transfer, the sender of a node, or an idle link. */
function selectObject(found) {
  if (!found) {
    update({ select: null });
  } else if (found.node !== undefined) {
    select('sender', found.node);
  } else {
    const step = found.transfers.length > 0 ? stepAt(state.step - 1) : null;
    const shown = step && found.transfers.find(i => isShown(step, i) && isKnown(step.message[i]));
    const isMessage = state.colouring === 'messages' && step && shown !== undefined;
    if (isMessage) select('message', step.message[shown]);
    else select('link', network.resource[found.channel]);
  }
}
