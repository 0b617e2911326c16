import { TopologyFormat, type Topology } from '@daycare/contracts/topology';
import { loadTopology, loadTopologyText } from '../../client/load-topology';
import { resume } from '../../client/rpc/resume';
import type { Session } from '../../client/session';
import { safeText } from '../../output/safe-text';
import { renderTopologyTree } from '../../output/topology-tree';
import { textView, type View } from '../../output/view';
import { notifyDisconnected } from '../../terminal/notify-disconnected';
import { defineCommand } from '../kit/command';
import { parseCount, type Limited } from '../kit/options';

interface TopologyOptions extends Limited {
  readonly tree?: boolean;
  readonly watch?: boolean;
  readonly dead?: boolean;
}

export const topologyCommand = defineCommand<TopologyOptions>({
  name: 'topology',
  description: 'show everything you own and everyone you can reach',
  options: [
    ['--tree', 'show it as a tree'],
    ['--watch', 'show every change; reconnects after a connection loss'],
    ['--limit <count>', 'with --watch, stop after this many updates', { parse: parseCount }],
    ['--dead', 'include dead agents'],
  ],
  examples: ['topology', 'topology --tree', 'topology --watch -o json'],
  async run({ session, global, options: { tree, watch, dead = false, limit = Infinity } }) {
    const opened = await session();
    const isText = global.output === 'table' && !tree;
    const format = isText ? TopologyFormat.TEXT : TopologyFormat.STRUCTURE;
    if (watch) return watchTopology(opened, { format, dead, limit });
    if (isText) return textView(safeText(await loadTopologyText(opened.topology, dead)), undefined);
    return treeView(await loadTopology(opened.topology, dead));
  },
});

async function* watchTopology(
  { topology: client }: Session,
  { format, dead, limit }: { format: TopologyFormat; dead: boolean; limit: number },
): AsyncGenerator<View> {
  let afterRevision = '';
  let seen = 0;
  const request = { pageSize: 1_000, includeDead: dead, format };
  const open = () => client.watchTopology({ ...request, afterRevision });
  // If the first view does not arrive immediately, the service is down: fail rather than retry.
  const mayResume = (): boolean => seen > 0;
  for await (const { topology, text } of resume(open, {
    mayResume,
    onDisconnect: notifyDisconnected,
  })) {
    afterRevision = topology?.revision ?? '';
    const isText = format === TopologyFormat.TEXT;
    const view = isText ? textView(safeText(text), undefined) : treeView(topology);
    yield { data: view.data, render: (style) => `${view.render(style)}\n` };
    seen += 1;
    if (seen >= limit) return;
  }
}

function treeView(topology: Topology | undefined): View {
  return {
    data: topology,
    render: (style) => (topology ? renderTopologyTree(topology, style) : ''),
  };
}
