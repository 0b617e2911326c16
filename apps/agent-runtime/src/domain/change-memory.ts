import { AppError, FieldChecks } from '@daycare/errors';
import type { MemoryGraph } from './memory-graph';
import {
  checkNodeId,
  memoryLimits,
  rootId,
  toLine,
  type MemoryNode,
  type NodeContent,
} from './memory-node';

/** A node as an agent wants it; of one that exists, what is not given stays as it is. */
export interface NodeWish {
  readonly title: string;
  readonly description?: string | undefined;
  readonly content: string;
  readonly parents?: readonly string[] | undefined;
}

/** What can be said about a wish without knowing what is remembered already. */
export function checkNodeWish(wish: NodeWish, nodeId?: string): void {
  const { title, description = '', content, parents = [] } = wish;
  const checks = new FieldChecks()
    .line(title, 'title', { min: 1, max: memoryLimits.title })
    .line(description, 'description', { min: 0, max: memoryLimits.description })
    .text(content, 'content', { min: 1, max: memoryLimits.text })
    .require(
      parents.length <= memoryLimits.parents,
      'parents',
      `must be at most ${memoryLimits.parents}, got ${parents.length}`,
    );
  if (nodeId !== undefined) checkNodeId(checks, nodeId);
  for (const parent of parents) if (parent !== rootId) checkNodeId(checks, parent, 'parents');
  checks.done();
}

/** The node that a wish makes of the one before it; throws when it cannot be in this graph. */
export function changeMemory(
  graph: MemoryGraph,
  target: { readonly id: string; readonly before: MemoryNode | undefined },
  wish: NodeWish,
  now: Date,
): NodeContent {
  const { id, before } = target;
  if (wish.parents) checkParents(graph, id, wish.parents);
  if (!before && graph.size >= memoryLimits.nodes)
    throw new AppError('QUOTA_EXCEEDED', `A memory holds at most ${memoryLimits.nodes} nodes`);
  return {
    title: toLine(wish.title, memoryLimits.title),
    description: toLine(wish.description ?? before?.description ?? '', memoryLimits.description),
    parents: [...new Set(wish.parents ?? before?.parents ?? [])],
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    text: wish.content.trim(),
  };
}

/** How much of the room for one file, and for all of a user's, the node's file takes. */
export function checkRoom(fileBytes: number, othersBytes: number): void {
  new FieldChecks()
    .require(
      fileBytes <= memoryLimits.fileBytes,
      'content',
      `must fit into ${memoryLimits.fileBytes} bytes of UTF-8 with what is said about it, got ${fileBytes}`,
    )
    .done();
  if (othersBytes + fileBytes > memoryLimits.totalBytes)
    throw new AppError('QUOTA_EXCEEDED', `A memory holds at most ${memoryLimits.totalBytes} bytes`);
}

function checkParents(graph: MemoryGraph, id: string, parents: readonly string[]): void {
  const checks = new FieldChecks();
  for (const parent of parents.filter((each) => each !== rootId))
    checks
      .require(parent !== id, 'parents', 'must not name the node itself')
      .require(
        parent === id || graph.find(parent) !== undefined,
        'parents',
        `must exist, got ${parent}`,
      )
      .require(
        parent === id || !graph.isWithin(parent, id),
        'parents',
        `must not make a circle, but ${parent} is below ${id}`,
      );
  checks.done();
}
