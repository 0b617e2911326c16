import { daycare } from '../../data/client';
import { collectPages } from '../../data/paging/pages';
import { topology } from '../../data/topology';
import { tarEnd, tarEntry } from './tar';

const encoder = new TextEncoder();

/**
 * Creates a tar archive: one file with the person's user and topology, and for each agent a folder with the agent's
 * descriptor, state and history. Memory, files and usage are not included.
 */
export async function exportEverything(onProgress: (text: string) => void): Promise<Blob> {
  const now = new Date();
  const parts: Uint8Array[] = [];
  const userId = topology.peek()?.self?.userId ?? '';
  const { user } = await daycare.rpc.identity.getUser({ userId });
  const overview = JSON.stringify({ user, topology: topology.peek() }, null, 2);
  parts.push(...tarEntry('topology.json', [encoder.encode(overview)], now));
  const agentIds = await listAgentIds();
  for (const [index, agentId] of agentIds.entries()) {
    onProgress(`Agent ${index + 1} of ${agentIds.length}`);
    for (const [name, chunks] of await exportAgent(agentId))
      parts.push(...tarEntry(`agents/${agentId}/${name}`, chunks, now));
  }
  return new Blob([...parts, tarEnd()] as BlobPart[], { type: 'application/x-tar' });
}

/** Lists the agents of the person and their subusers, including agents that have ended. */
async function listAgentIds(): Promise<string[]> {
  const subusers = topology.peek()?.subusers?.subusers ?? [];
  const owners = ['', ...subusers.map(({ subuserId }) => subuserId)];
  const ids: string[] = [];
  for (const subuserId of owners) {
    const { items } = await collectPages(async (page) => {
      const request = { ...page, subuserId, kinds: [], includeDead: true };
      const { agents, nextPageToken } = await daycare.rpc.agentRuntime.listAgents(request);
      return { items: agents.map(({ id }) => id), nextPageToken };
    }, Infinity);
    ids.push(...items);
  }
  return ids;
}

async function exportAgent(agentId: string): Promise<Map<string, Uint8Array[]>> {
  const files = new Map<string, Uint8Array[]>();
  for await (const { fileName, chunk } of daycare.rpc.agentRuntime.exportAgent({ agentId })) {
    const chunks = files.get(fileName) ?? [];
    chunks.push(chunk);
    files.set(fileName, chunks);
  }
  return files;
}
