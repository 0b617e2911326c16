import type { CallUsage } from '../../agents';
import type { ChosenModel } from '../../models';

/** A model or tool call, or its preparation, failed. A failure to store a step is thrown unwrapped instead. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    cause: unknown,
    /** The usage of the failed model call, if there was one. */
    readonly call?: CallUsage,
    /** The name of the service that failed, for the note to the person. */
    readonly source = 'another service',
    /** The model that was called, if a model failed. */
    readonly chosen?: ChosenModel,
  ) {
    super('a model request or tool call failed', { cause });
  }
}

/** Returns what `act` returns; if it throws, throws a StepFailed with the cause. */
export async function orStepFailed<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new StepFailed(cause);
  }
}
