import type { Agent } from '../domain/agent';
import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import type { AgentView, DescribeAgents } from './describe-agents';
import { findVisibleAgent } from './visible-agent';

export interface ExportChunk {
  readonly fileName: string;
  readonly chunk: Uint8Array;
}

export interface ExportDeps {
  readonly agents: AgentStore;
  readonly history: HistoryStore;
  readonly describeAgents: DescribeAgents;
}

const pageSize = 200;
const maxChunkBytes = 262_144;

/** Exports an agent as three files that show its state at the start of the export. */
export function makeExportAgent(deps: ExportDeps) {
  return async function* exportAgent(userId: string, agentId: string): AsyncGenerator<ExportChunk> {
    const agent = await findVisibleAgent(deps.agents, userId, agentId);
    const [view] = await deps.describeAgents([agent]);
    if (!view) return;
    const { kind: type, ...fields } = agent.descriptor;
    yield* chunksOf('descriptor.json', prettyJson({ type, ...fields }));
    yield* chunksOf('state.json', prettyJson(stateOf(view)));
    yield* exportHistory(deps.history, agent, view.lastSequence);
  };
}

async function* exportHistory(
  history: HistoryStore,
  agent: Agent,
  upTo: number,
): AsyncGenerator<ExportChunk> {
  let after = 0;
  do {
    const records = await history.listRecords(agent, { after, upTo, limit: pageSize });
    yield* chunksOf('history.jsonl', records.map(toLine).join(''));
    after = records.at(-1)?.sequence ?? upTo;
  } while (after < upTo);
}

function stateOf(view: AgentView) {
  const { agent, permissions, lifecycle, usage, contextTokens, lastSequence, updatedAt } = view;
  const { id, userId, createdAt, lastUserActivityAt } = agent;
  return {
    agentId: id,
    userId,
    provider: view.model.provider,
    model: view.model.id,
    permissions,
    lifecycle,
    usage,
    contextTokens,
    lastSequence,
    createdAt,
    updatedAt,
    lastUserActivityAt,
  };
}

function toLine({ kind, sequence, recordedAt, ...fields }: HistoryRecord): string {
  return `${JSON.stringify({ type: kind, sequence, at: recordedAt, ...fields })}\n`;
}

function prettyJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Splits a file, or a part of it, into chunks that fit into a message; empty text becomes one empty chunk. */
function* chunksOf(fileName: string, text: string): Generator<ExportChunk, void> {
  const bytes = Buffer.from(text);
  let at = 0;
  do {
    yield { fileName, chunk: bytes.subarray(at, at + maxChunkBytes) };
    at += maxChunkBytes;
  } while (at < bytes.length);
}
