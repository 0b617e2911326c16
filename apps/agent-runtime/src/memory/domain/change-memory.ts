import { AppError, FieldChecks } from '@daycare/api';
import type { MemoryGraph } from './memory-graph';
import {
  checkNodeId,
  memoryLimits,
  rootId,
  toLine,
  type MemoryNode,
  type NodeContent,
} from './memory-node';

/** A node as an agent specifies it; for an existing node, omitted fields keep their values. */
export interface MemoryNodeSpec {
  readonly title: string;
  readonly description?: string | undefined;
  readonly content: string;
  readonly parents?: readonly string[] | undefined;
}

/** Checks everything about a spec that does not depend on the existing nodes. */
export function checkMemoryNodeSpec(spec: MemoryNodeSpec, nodeId?: string): void {
  const { title, description = '', content, parents = [] } = spec;
  const checks = new FieldChecks()
    .line(title, 'title', { min: 1, max: memoryLimits.title })
    .line(description, 'description', { min: 0, max: memoryLimits.description })
    .text(content, 'content', { min: 1, max: memoryLimits.text })
    .require(
      parents.length <= memoryLimits.parents,
      'parents',
      `must have at most ${memoryLimits.parents} elements, got ${parents.length}`,
    );
  if (nodeId !== undefined) checkNodeId(checks, nodeId);
  for (const parent of parents) if (parent !== rootId) checkNodeId(checks, parent, 'parents');
  checks.done();
}

/** Applies a spec to the previous version of a node; throws if a parent is invalid or the memory is full. */
export function changeMemory(
  graph: MemoryGraph,
  target: { readonly id: string; readonly before: MemoryNode | undefined },
  spec: MemoryNodeSpec,
  now: Date,
): NodeContent {
  const { id, before } = target;
  if (spec.parents) checkParents(graph, id, spec.parents);
  if (!before && graph.size >= memoryLimits.nodes)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `A memory can hold at most ${memoryLimits.nodes} nodes; extend an existing one`,
    );
  return {
    title: toLine(spec.title, memoryLimits.title),
    description: toLine(spec.description ?? before?.description ?? '', memoryLimits.description),
    parents: [...new Set(spec.parents ?? before?.parents ?? [])],
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    text: spec.content.trim(),
  };
}

/** Throws if a node's file would exceed the limit per file or the limit per user. */
export function checkMemorySize(fileBytes: number, otherBytes: number): void {
  new FieldChecks()
    .require(
      fileBytes <= memoryLimits.fileBytes,
      'content',
      `must fit into ${memoryLimits.fileBytes} bytes of UTF-8 together with title, description and parents, got ${fileBytes}`,
    )
    .done();
  if (otherBytes + fileBytes > memoryLimits.totalBytes)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `A memory can hold at most ${memoryLimits.totalBytes} bytes; shorten an existing node`,
    );
}

function checkParents(graph: MemoryGraph, id: string, parents: readonly string[]): void {
  const checks = new FieldChecks();
  for (const parent of parents.filter((each) => each !== rootId))
    checks
      .require(parent !== id, 'parents', 'must not name the node itself')
      .require(
        parent === id || graph.find(parent) !== undefined,
        'parents',
        `must be existing nodes; ${parent} does not exist`,
      )
      .require(
        parent === id || !graph.isWithin(parent, id),
        'parents',
        `must not form a cycle, but ${parent} is below ${id}`,
      );
  checks.done();
}
