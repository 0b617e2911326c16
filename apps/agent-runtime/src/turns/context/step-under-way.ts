import type { AgentStep, CurrentWork } from '../../agents';
import type { AgentSession } from '../sessions/agent-session';

/** A step of a turn while it is being taken. */
export interface StepUnderWay {
  readonly session: AgentSession;
  readonly work: CurrentWork;
  /** Aborts when the step is no longer needed. */
  readonly signal: AbortSignal;
}

/** Records the outcome of a step in the work, to which the time that the step took has been added. */
export type RecordStep = (work: CurrentWork) => AgentStep;
