import { AppError, genericMessage } from '@daycare/api';
import { onAbort } from '@daycare/async';
import { ProviderError } from './provider-error';

export interface CallLimits {
  /** How long a call may take in total. */
  readonly overallMs: number;
  /** How long a call may go without receiving anything: some models pause for a while before they write. */
  readonly idleMs: number;
}

export const defaultCallLimits: CallLimits = { overallMs: 5 * 60_000, idleMs: 2 * 60_000 };

/**
 * Aborts a call to a provider when its caller cancels it, when it takes too long, or when it receives
 * nothing for too long. Call `touch` whenever data arrives, and `stop` when the call ends.
 */
export class CallClock {
  readonly #controller = new AbortController();
  readonly #overall: NodeJS.Timeout;
  readonly #idle: NodeJS.Timeout;
  #stopListening = (): void => undefined;

  constructor(caller: AbortSignal, { overallMs, idleMs }: CallLimits) {
    this.#overall = setTimeout(() => this.#end(timedOut(overallMs)), overallMs);
    this.#idle = setTimeout(() => this.#end(timedOut(idleMs)), idleMs);
    this.#stopListening = onAbort(caller, () => this.#end(cancelled()));
  }

  /** Aborts when the call has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was aborted; undefined if it was not. */
  get failure(): AppError | undefined {
    return this.signal.aborted ? (this.signal.reason as AppError) : undefined;
  }

  touch(): void {
    if (!this.signal.aborted) this.#idle.refresh();
  }

  stop(): void {
    clearTimeout(this.#overall);
    clearTimeout(this.#idle);
    this.#stopListening();
  }

  #end(reason: AppError): void {
    this.stop();
    this.#controller.abort(reason);
  }
}

function cancelled(): AppError {
  return new AppError('CANCELLED', genericMessage('CANCELLED'));
}

function timedOut(limitMs: number): AppError {
  const cause = new Error(`limit of ${limitMs} ms exceeded`);
  return new ProviderError('slow', {}, { cause });
}
