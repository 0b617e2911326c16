import { isForeign, messageIdOf } from '@daycare/api';
import type { ToolRegistry } from '../../tools';
import { factsIn } from '../domain/context/summary';
import type { AgentSession } from '../sessions/agent-session';
import type { StepUnderWay } from './step-under-way';

export interface StoreFactsDeps {
  readonly tools: Pick<ToolRegistry, 'answer' | 'offer'>;
  readonly log: { warn(fields: object, text: string): void };
}

interface SummarisingStep extends Omit<StepUnderWay, 'session'> {
  readonly session: Pick<AgentSession, 'agent' | 'state'>;
}

/**
 * Stores a summary's facts in the user's memory; call it before the compaction is recorded. Each context has one node,
 * which the next compaction, or a retry after a crash, replaces. If the context contains text from guests or
 * outsiders, nothing is stored, because no person has approved that text. Nothing is stored either for an agent that
 * cannot write to memory.
 */
export async function storeFacts(
  { session: { agent, state }, work: { turn, hops, startedBy }, signal }: SummarisingStep,
  summary: string,
  { tools, log }: StoreFactsDeps,
): Promise<void> {
  const facts = factsIn(summary);
  const { contextTrust = 'outside', contextIsPrivate: readPrivate } = state;
  if (facts.length === 0 || isForeign(contextTrust)) return;
  const nodeId = `facts-${messageIdOf('facts', agent.id, `${state.contextFrom}`).slice(0, 16)}`;
  const args = JSON.stringify({
    nodeId,
    title: 'Facts from a conversation',
    description: 'Stored by an agent when it compacts its context; replaced each time',
    content: facts.map((fact) => `- ${fact}`).join('\n'),
  });
  const requestId = messageIdOf('facts', agent.id, `${state.lastSequence}`, args);
  const turnFacts = { turn, hops, trust: 'own', readPrivate, startedBy } as const;
  const text =
    "cannot write the facts from a summary to the user's memory; they remain only in the summary";
  try {
    const offered = await tools.offer(agent);
    if (!offered.some(({ name }) => name === 'memory_write')) return;
    const context = { agent, requestId, ...turnFacts, signal };
    const { isError, resultJson } = await tools.answer('memory_write', args, context);
    if (isError) log.warn({ agentId: agent.id, result: resultJson }, text);
  } catch (err) {
    signal.throwIfAborted();
    log.warn({ err, agentId: agent.id }, text);
  }
}
