import type { AgentTools } from './tools';

interface ListedNode {
  readonly nodeId: string;
  readonly childCount: number;
}

interface ReadNode {
  readonly text?: string;
  readonly nextOffset?: number;
}

/** Returns every memory node with its complete text. A node with several parents is returned once. */
export async function exportMemory(tools: AgentTools): Promise<object[]> {
  const saved = new Map<string, object>();
  const queue = await tools.list<ListedNode>('memory_list', {});
  for (let node = queue.shift(); node; node = queue.shift()) {
    if (saved.has(node.nodeId)) continue;
    saved.set(node.nodeId, { ...node, text: await readText(tools, node.nodeId) });
    if (node.childCount > 0)
      queue.push(...(await tools.list<ListedNode>('memory_list', { parent: node.nodeId })));
  }
  return [...saved.values()];
}

async function readText({ call }: AgentTools, nodeId: string): Promise<string> {
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const part: ReadNode = await call('memory_read', { nodeId, offset });
    text += part.text ?? '';
    offset = part.nextOffset;
  }
  return text;
}
