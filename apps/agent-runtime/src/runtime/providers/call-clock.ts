import { AppError, blandTextOf } from '@daycare/errors';

export interface CallLimits {
  /** How long a call may take in all. */
  readonly overallMs: number;
  /** How long nothing may come: some models are silent for a while before they write. */
  readonly idleMs: number;
}

export const defaultCallLimits: CallLimits = { overallMs: 5 * 60_000, idleMs: 2 * 60_000 };

/**
 * Ends one call to a provider when its caller wants it no more, when it takes too long, or when nothing
 * comes. Call `touch` whenever something came, and `stop` at the end.
 */
export class CallClock {
  readonly #controller = new AbortController();
  readonly #overall: NodeJS.Timeout;
  readonly #idle: NodeJS.Timeout;
  readonly #cancel = (): void => this.#end(new AppError('CANCELLED', blandTextOf('CANCELLED')));

  constructor(
    private readonly caller: AbortSignal,
    { overallMs, idleMs }: CallLimits,
  ) {
    this.#overall = setTimeout(() => this.#end(tookTooLong(overallMs)), overallMs);
    this.#idle = setTimeout(() => this.#end(tookTooLong(idleMs)), idleMs);
    caller.addEventListener('abort', this.#cancel);
    if (caller.aborted) this.#cancel();
  }

  /** Aborted when the call is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call had to end, if it had to. */
  get ending(): AppError | undefined {
    return this.signal.aborted ? (this.signal.reason as AppError) : undefined;
  }

  touch(): void {
    if (!this.signal.aborted) this.#idle.refresh();
  }

  stop(): void {
    clearTimeout(this.#overall);
    clearTimeout(this.#idle);
    this.caller.removeEventListener('abort', this.#cancel);
  }

  #end(reason: AppError): void {
    this.stop();
    this.#controller.abort(reason);
  }
}

function tookTooLong(limitMs: number): AppError {
  const cause = new Error(`nothing more within ${limitMs} ms`);
  return new AppError('UNAVAILABLE', 'the model provider took too long to answer', {}, { cause });
}
