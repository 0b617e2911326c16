import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import { makeStopTurn } from '../../messaging/usecases/control/stop-turn';
import type { TestRuntime } from '../test-runtime';

/** Stops an agent's turn, as a person does; resolves when the stop is stored. */
export async function stopTurnOf(
  runtime: TestRuntime,
  { id: agentId, userId }: Pick<Agent, 'id' | 'userId'>,
): Promise<void> {
  const interruptAgent = (interrupted: string): void => runtime.feed.interrupt([interrupted]);
  const stopTurn = makeStopTurn({ ...runtime, interruptAgent, now: () => new Date() });
  await stopTurn({ userId, agentId, requestId: createId(), steeringText: '', replyTarget: '' });
}
