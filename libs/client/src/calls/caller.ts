import { backoffMs } from '@daycare/async';
import { DaycareError, isDaycareError } from '../transport/daycare-error';
import type { TokenSource } from './token-source';
import type { CallOptions, Method, Transport, Upload } from '../transport/transport';

const maxAttempts = 5;
const backoff = { firstMs: 200, maxMs: 5_000 };
/** A call that answers like this may be made again, if it is safe to repeat. */
const passing = ['UNAVAILABLE'] as const;
/** A stream that ends like this is opened again. CANCELLED: a replica that stops cancels its streams. */
const cut = ['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED'] as const;

/** Makes calls with the right token, and repeats what is safe to repeat. */
export class Caller {
  constructor(
    private readonly transport: Transport,
    private readonly tokens: TokenSource,
    private readonly isRepeatable: (method: Method) => boolean,
  ) {}

  /** A call with one response. It is repeated while Daycare is unavailable, unless that could act twice. */
  unary(method: Method, request: unknown, options: CallOptions = {}): Promise<unknown> {
    return this.#attempt(options, this.isRepeatable(method), (authorization) =>
      this.transport.unary(method, request, { ...options, authorization }),
    );
  }

  /** Uploads are safe to repeat: they have a request id. */
  upload(file: Upload, options: CallOptions = {}): Promise<unknown> {
    return this.#attempt(options, true, (authorization) =>
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
   * Ends only by the caller, or by an error that will not pass.
   */
  async *resume(
    method: Method,
    nextRequest: () => unknown,
    options: CallOptions = {},
  ): AsyncGenerator {
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const item of this.stream(method, nextRequest(), options)) {
          failures = 0;
          yield item;
        }
        return;
      } catch (error) {
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
    isRepeatable: boolean,
    call: (authorization: string | undefined) => Promise<unknown>,
  ): Promise<unknown> {
    let isRenewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const authorization = await this.tokens.authorization();
      try {
        return await call(authorization);
      } catch (error) {
        if (isDaycareError(error, 'UNAUTHENTICATED') && !isRenewed) {
          isRenewed = true;
          if (await this.tokens.renewAfterRefusal(authorization)) continue;
        }
        if (!isRepeatable || attempt >= maxAttempts || !isDaycareError(error, ...passing))
          throw error;
        await pause(backoffMs(attempt, backoff), signal);
      }
    }
  }

  close(): void {
    this.transport.close();
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(
        new DaycareError({ code: 'CANCELLED', message: 'The call was cancelled', details: {} }),
      );
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
