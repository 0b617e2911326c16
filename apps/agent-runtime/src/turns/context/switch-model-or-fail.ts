import { AppError, toAppError } from '@daycare/api';
import type { CurrentWork } from '../../agents';
import type { ModelChooser } from '../../models';
import {
  afterStepFailure,
  type StepFailure,
  type WaitLimits,
} from '../domain/failures/after-failure';
import { decidingFailure, switchModel, withAllModels } from '../domain/switch-model';
import type { AgentSession } from '../sessions/agent-session';
import { withCall } from './call-model';
import type { StepFailed } from './step-failed';

export interface SwitchModelDeps {
  readonly models: Pick<ModelChooser, 'failed'>;
  readonly limits: WaitLimits;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

/**
 * If the model is to blame for the failure and the agent's list has another one to try, switches to that; otherwise
 * records the failure. The time that a failed step took does not count towards the turn's time limit.
 */
export async function switchModelOrFail(
  session: AgentSession,
  work: CurrentWork,
  { models, limits, log, now }: SwitchModelDeps,
  failed: StepFailed,
): Promise<void> {
  const { chosen, cause, call, source } = failed;
  const agentId = session.agent.id;
  const failedModel = chosen && models.failed(chosen, cause);
  if (failedModel) {
    log.warn({ err: cause, agentId, ...failedModel }, 'model failed; trying the next one');
    return session.commit(withCall(switchModel(work, failedModel), call));
  }
  log.warn({ err: cause, agentId, source }, 'turn step failed; recording the failure');
  // A tool's failure has nothing to do with the models.
  const failure = chosen
    ? { ...decidingFailure(toFailure(failed), work), models: chosen.list }
    : toFailure(failed);
  const step = afterStepFailure(withAllModels(work), failure, limits, now(), Math.random());
  await session.commit(withCall(step, call));
}

/** Describes the failure in words that are safe to show to a person; the log has the details. */
function toFailure({ cause, source }: StepFailed): StepFailure {
  const { code, details } = toAppError(cause);
  const isSafeToShow = cause instanceof AppError;
  const reason = isSafeToShow ? cause.message : 'something went wrong while I worked on it';
  return { code, reason, source, retryAfterMs: details.retryAfterMs };
}
