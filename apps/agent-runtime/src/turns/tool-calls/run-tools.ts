import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, classifyFailure, messageIdOf, toAppError } from '@daycare/api';
import { backoffMs, raceAbort, withTimeout } from '@daycare/async';
import type { Agent, CurrentWork, ToolCall, ToolResultEvent } from '../../agents';
import type { ToolRegistry } from '../../tools';
import { approvalOf } from '../domain/approved-call';
import { unavailableOutcome } from '../domain/failures/unavailable-outcome';

export interface RunToolsDeps {
  readonly tools: Pick<ToolRegistry, 'answer' | 'isReadOnly'>;
  /** Shows watchers the calls in progress. */
  readonly showProgress?: (call: ToolCall, state: 'started' | 'ended') => void;
  /** How long a call to an unavailable service is retried. */
  readonly toolRetryMs?: number | undefined;
}

type ToolOutcome = Awaited<ReturnType<ToolRegistry['answer']>>;

const maxToolMs = 5 * 60_000;
const defaultRetryMs = 5_000;
const backoff = { firstMs: 200, maxMs: 1_000 };

/** Makes several calls from one answer in parallel; the results are in the order of the calls. */
export async function runTools(
  agent: Agent,
  work: CurrentWork,
  calls: readonly ToolCall[],
  deps: RunToolsDeps,
  signal: AbortSignal,
): Promise<ToolResultEvent[]> {
  return Promise.all(calls.map((call) => runTool(agent, work, call, deps, signal)));
}

async function runTool(
  agent: Agent,
  work: CurrentWork,
  call: ToolCall,
  deps: RunToolsDeps,
  signal: AbortSignal,
): Promise<ToolResultEvent> {
  const { id: toolCallId, name: toolName, argumentsJson } = call;
  const { turn, iterations, hops, trust, startedBy, traceparent } = work;
  const { readPrivate, foreignWriter, hasReadForeign, files = [] } = work;
  const approval = approvalOf(work, call);
  const requestId = approval
    ? messageIdOf('approved', approval.permissionRequestId)
    : messageIdOf('tool', agent.id, `${turn}`, `${iterations}`, toolCallId);
  const facts = { readPrivate, foreignWriter, hasReadForeign, attachedFiles: files.length };
  const control = { approval, signal, traceparent };
  const context = { agent, requestId, turn, hops, trust, startedBy, ...facts, ...control };
  const answer = () => deps.tools.answer(toolName, argumentsJson, context);
  deps.showProgress?.(call, 'started');
  const outcome = await retryWhileUnavailable(answer, toolName, deps, signal).finally(() =>
    deps.showProgress?.(call, 'ended'),
  );
  return { kind: 'tool_result', toolCallId, toolName, ...outcome };
}

/**
 * Retries a call whose service is not available, with the same request id because the call may have taken effect.
 * After a few seconds the model gets an error instead, and the turn continues.
 */
async function retryWhileUnavailable(
  answer: () => Promise<ToolOutcome>,
  toolName: string,
  { tools, toolRetryMs = defaultRetryMs }: RunToolsDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const giveUpAtMs = performance.now() + toolRetryMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await withTimeout(raceAbort(answer(), signal), maxToolMs, timedOut);
    } catch (error) {
      const { code } = toAppError(error);
      if (signal.aborted || classifyFailure(code) !== 'transient') throw error;
      if (performance.now() >= giveUpAtMs)
        return unavailableOutcome(code, tools.isReadOnly(toolName));
    }
    await sleep(backoffMs(failures, backoff), undefined, { signal });
  }
}

function timedOut(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the tool took too long');
}
