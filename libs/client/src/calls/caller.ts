import { backoffMs } from '@daycare/async';
import { isDaycareError } from '../transport/daycare-error';
import { pause } from './pause';
import { holdsSecret } from './secrets';
import type { TokenSource } from './token-source';
import type { CallOptions, Method, Transport, Upload } from '../transport/transport';

const maxAttempts = 5;
/** A call that answers like this may be made again, if it is safe to repeat. */
const transient = ['UNAVAILABLE'] as const;
/** A stream that ends like this is opened again. CANCELLED: a replica that stops cancels its streams. */
const cut = ['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED'] as const;

/** A stream that was open for this long was not refused, even if nothing happened meanwhile. */
const acceptedAfterMs = 10_000;

type Authority = Pick<TokenSource, 'authorization' | 'renewAfterRefusal'>;
type Call = (authorization: string | undefined) => Promise<unknown>;

const noAuthority: Authority = {
  authorization: async () => undefined,
  renewAfterRefusal: async () => false,
};

export interface Timing {
  readonly backoff: Parameters<typeof backoffMs>[1];
  readonly now: () => number;
}

const defaultTiming: Timing = { backoff: { firstMs: 200, maxMs: 5_000 }, now: Date.now };

/** Makes calls with the right token, and repeats what is safe to repeat. */
export class Caller {
  constructor(
    private readonly transport: Transport,
    private readonly tokens: TokenSource,
    private readonly isRepeatable: (method: Method) => boolean,
    private readonly timing: Timing = defaultTiming,
  ) {}

  /** A call with one response. It is repeated while Daycare is unavailable, unless that could act twice. */
  unary(method: Method, request: unknown, options: CallOptions = {}): Promise<unknown> {
    const authority = holdsSecret(method) ? noAuthority : this.tokens;
    return this.#attempt(options, authority, this.isRepeatable(method), (authorization) =>
      this.transport.unary(method, request, { ...options, authorization }),
    );
  }

  /** Uploads are safe to repeat: they have a request id. */
  upload(file: Upload, options: CallOptions = {}): Promise<unknown> {
    return this.#attempt(options, this.tokens, true, (authorization) =>
      this.transport.upload(file, { ...options, authorization }),
    );
  }

  /** One stream, until it ends; a refused token is renewed once. */
  async *stream(method: Method, request: unknown, options: CallOptions = {}): AsyncGenerator {
    let hasBegun = false;
    for (let isLast = false; ; isLast = true) {
      const authorization = await this.tokens.authorization();
      try {
        for await (const item of this.transport.stream(method, request, {
          ...options,
          authorization,
        })) {
          hasBegun = true;
          yield item;
        }
        return;
      } catch (error) {
        if (!isDaycareError(error, 'UNAUTHENTICATED') || hasBegun || isLast) throw error;
        if (!(await this.tokens.renewAfterRefusal(authorization))) throw error;
      }
    }
  }

  /**
   * A stream that survives cut connections and expired tokens: `nextRequest` must ask for what follows the last item.
   * Ends when the server ends it, by the caller, or by a permanent error.
   */
  async *resume(
    method: Method,
    nextRequest: () => unknown,
    options: CallOptions = {},
  ): AsyncGenerator {
    const { backoff, now } = this.timing;
    for (let failures = 0; ; failures += 1) {
      const openedAt = now();
      try {
        for await (const item of this.stream(method, nextRequest(), options)) {
          failures = 0;
          yield item;
        }
        return;
      } catch (error) {
        if (now() - openedAt >= acceptedAfterMs) failures = 0;
        if (options.signal?.aborted || !this.#mayResume(error, failures)) throw error;
      }
      await pause(backoffMs(failures + 1, backoff), options.signal);
    }
  }

  /** A token that expires during a stream is renewed; one that is refused twice in a row is not valid. */
  #mayResume(error: unknown, failures: number): boolean {
    return (
      isDaycareError(error, ...cut) || (isDaycareError(error, 'UNAUTHENTICATED') && failures === 0)
    );
  }

  async #attempt(
    { signal }: CallOptions,
    authority: Authority,
    isRepeatable: boolean,
    call: Call,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const progress = { mayHaveActed: false };
      try {
        return await authorized(authority, call, progress);
      } catch (error) {
        const isSafe = isRepeatable || !progress.mayHaveActed;
        if (!isSafe || attempt >= maxAttempts || !isDaycareError(error, ...transient)) throw error;
      }
      await pause(backoffMs(attempt, this.timing.backoff), signal);
    }
  }

  close(): void {
    this.transport.close();
  }
}

/** Makes a call with a token, which is renewed once if it is refused. A refused call has not acted. */
async function authorized(
  authority: Authority,
  call: Call,
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
