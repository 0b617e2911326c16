import { backoffMs } from '@daycare/async';
import { isDaycareError } from '../transport/daycare-error';
import {
  defaultTimeoutMs,
  uploadTimeoutMs,
  type CallOptions,
  type Method,
  type ResumeOptions,
  type SentOptions,
  type Transport,
  type Upload,
} from '../transport/transport';
import { fixedAuthority, type Authority } from './authority';
import { pause } from './pause';
import { resume, type Timing } from './resume';
import { containsSecret } from './secrets';

/** These attempts take about seven seconds in total, which is enough for a process to restart. */
const defaultMaxAttempts = 8;
const defaultBackoff: Timing['backoff'] = { firstMs: 100, maxMs: 2_000 };

type Call = (options: SentOptions) => Promise<unknown>;

export interface CallerOptions {
  readonly isRetryable: (method: Method) => boolean;
  /** The total time for a unary call and its retries, unless the call's options contain a timeout. */
  readonly timeoutMs?: number;
  /** How many attempts to make while Daycare is unavailable, for a call that is safe to retry. */
  readonly maxAttempts?: number;
  readonly timing?: Timing;
}

/** Makes calls with the right token, and retries what is safe to retry. */
export class Caller {
  readonly #now: () => number;
  readonly #backoff: Timing['backoff'];
  readonly #maxAttempts: number;

  constructor(
    private readonly transport: Transport,
    private readonly authority: Authority,
    private readonly options: CallerOptions,
  ) {
    this.#now = options.timing?.now ?? Date.now;
    this.#backoff = options.timing?.backoff ?? defaultBackoff;
    this.#maxAttempts = options.maxAttempts ?? defaultMaxAttempts;
  }

  /** Makes a call with one response; retries it while Daycare is unavailable, unless it could take effect twice. */
  unary(method: Method, request: unknown, options: CallOptions = {}): Promise<unknown> {
    const { isRetryable, timeoutMs = defaultTimeoutMs } = this.options;
    const authority = containsSecret(method) ? fixedAuthority() : this.authority;
    return this.#attempt({ timeoutMs, ...options }, authority, isRetryable(method), (sent) =>
      this.transport.unary(method, request, sent),
    );
  }

  /** Uploads a file. Uploads are safe to retry, because they have a request id. */
  upload(file: Upload, options: CallOptions = {}): Promise<unknown> {
    return this.#attempt({ timeoutMs: uploadTimeoutMs, ...options }, this.authority, true, (sent) =>
      this.transport.upload(file, sent),
    );
  }

  /**
   * Reads one stream to its end. If Daycare is unavailable before the first item arrives, reopens the stream, provided
   * that the call is safe to retry.
   */
  async *stream(method: Method, request: unknown, options: CallOptions = {}): AsyncGenerator {
    const isRetryable = this.options.isRetryable(method);
    for (let attempt = 1, hasBegun = false; ; attempt += 1) {
      try {
        for await (const item of this.#open(method, request, options)) {
          hasBegun = true;
          yield item;
        }
        return;
      } catch (error) {
        const isLast = hasBegun || !isRetryable || attempt >= this.#maxAttempts;
        if (isLast || !isDaycareError(error, 'UNAVAILABLE')) throw error;
      }
      await pause(backoffMs(attempt, this.#backoff), options.signal);
    }
  }

  /**
   * Reads a stream across lost connections and expired tokens. `nextRequest` is called each time the stream is opened;
   * it must return a request for what follows the last item.
   */
  resume(method: Method, nextRequest: () => unknown, options: ResumeOptions = {}): AsyncGenerator {
    const open = () => this.#open(method, nextRequest(), options);
    return resume(open, options, this.options.timing);
  }

  /**
   * Reads a stream. If the token is refused before the first item arrives, renews it and opens the stream once more.
   */
  async *#open(method: Method, request: unknown, options: CallOptions): AsyncGenerator {
    let hasBegun = false;
    for (let isLast = false; ; isLast = true) {
      const authorization = await this.authority.authorization();
      try {
        const sent = { ...options, authorization };
        for await (const item of this.transport.stream(method, request, sent)) {
          hasBegun = true;
          yield item;
        }
        return;
      } catch (error) {
        if (!isDaycareError(error, 'UNAUTHENTICATED') || hasBegun || isLast) throw error;
        if (!(await this.authority.renewAfterRefusal(authorization))) throw error;
      }
    }
  }

  async #attempt(
    options: CallOptions & { readonly timeoutMs: number },
    authority: Authority,
    isRetryable: boolean,
    call: Call,
  ): Promise<unknown> {
    const endsAt = this.#now() + options.timeoutMs;
    const makeCall = (authorization: string | undefined): Promise<unknown> =>
      call({ ...options, authorization, timeoutMs: Math.max(1, endsAt - this.#now()) });
    for (let attempt = 1; ; attempt += 1) {
      const progress = { mayHaveActed: false };
      const pauseMs = backoffMs(attempt, this.#backoff);
      try {
        return await callWithToken(authority, makeCall, progress);
      } catch (error) {
        const isSafe = isRetryable || !progress.mayHaveActed;
        const isLast = attempt >= this.#maxAttempts || this.#now() + pauseMs >= endsAt;
        if (!isSafe || isLast || !isDaycareError(error, 'UNAVAILABLE')) throw error;
      }
      await pause(pauseMs, options.signal);
    }
  }

  close(): void {
    this.transport.close();
  }
}

/**
 * Makes a call with a token. If the token is refused, renews it and makes the call once more; that is safe, because a
 * refused call had no effect. `progress.mayHaveActed` tells the caller whether a failed call may have taken effect.
 */
async function callWithToken(
  authority: Authority,
  call: (authorization: string | undefined) => Promise<unknown>,
  progress: { mayHaveActed: boolean },
): Promise<unknown> {
  const first = await authority.authorization();
  progress.mayHaveActed = true;
  try {
    return await call(first);
  } catch (error) {
    if (!isDaycareError(error, 'UNAUTHENTICATED')) throw error;
    progress.mayHaveActed = false;
    if (!(await authority.renewAfterRefusal(first))) throw error;
  }
  const second = await authority.authorization();
  progress.mayHaveActed = true;
  return call(second);
}
