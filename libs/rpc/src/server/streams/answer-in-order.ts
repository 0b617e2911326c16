import { onAbort, pause } from '@daycare/async';
import { AppError, toAppError } from '@daycare/api';

export interface InOrderOptions<Request> {
  /** No further request is read while this many are unanswered. */
  readonly maxUnanswered: number;
  /** No further request is read while the unanswered ones together have at least this many bytes. */
  readonly maxBytes: number;
  readonly sizeOf: (request: Request) => number;
  /**
   * Called for each request. While it throws RATE_LIMITED, the request waits, and no other is read. It is not refused,
   * because later requests would then overtake it.
   */
  readonly limit: () => void;
  /** Called before each request is handled; an error that it throws ends the stream. */
  readonly check: () => Promise<void>;
  /** How often `check` is also called independently of requests, so that it ends an idle stream, too. */
  readonly checkEveryMs: number;
  /** Once aborted, ends the stream with UNAVAILABLE, after the requests that are being handled have been answered. */
  readonly stopping: AbortSignal;
}

/**
 * Answers the requests of a bidirectional stream in the order in which they came, but handles them
 * concurrently: `handle` is called with each as soon as `limit` and `check` allow it. Memory is bounded because no
 * request is read while too many are unanswered.
 */
export async function* answerInOrder<Request, Response>(
  requests: AsyncIterable<Request>,
  handle: (request: Request) => Promise<Response>,
  options: InOrderOptions<Request>,
): AsyncGenerator<Response> {
  const exchange = new Exchange(handle, options);
  const unsubscribe = onAbort(options.stopping, () => exchange.end(stopping()));
  const timer = setInterval(() => void exchange.check(), options.checkEveryMs);
  timer.unref();
  void exchange.readAll(requests);
  try {
    yield* exchange.answers();
  } finally {
    exchange.end();
    clearInterval(timer);
    unsubscribe();
  }
}

/** The limit is checked again after at most this time, however long it asks to wait. */
const maxWaitMs = 1_000;

interface Pending<Response> {
  readonly bytes: number;
  readonly answer: Promise<Response>;
}

class Exchange<Request, Response> {
  readonly #pending: Pending<Response>[] = [];
  #bytes = 0;
  readonly #ending = new AbortController();
  #failure: AppError | undefined;
  /** Resumes `readAll`, which waits while too many requests are unanswered. */
  #resumeReading: () => void = noop;
  /** Resumes `answers`, which waits for a request. */
  #resumeAnswering: () => void = noop;

  constructor(
    private readonly handle: (request: Request) => Promise<Response>,
    private readonly options: InOrderOptions<Request>,
  ) {}

  get #isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Stops reading; requests that are being handled are still answered. */
  end(failure?: AppError): void {
    if (this.#isEnded) return;
    this.#failure = failure;
    this.#ending.abort();
    this.#resumeReading();
    this.#resumeAnswering();
  }

  async check(): Promise<void> {
    await this.options.check().catch((error: unknown) => this.end(toAppError(error)));
  }

  async readAll(requests: AsyncIterable<Request>): Promise<void> {
    try {
      for await (const request of requests) {
        await this.#waitForLimit();
        await this.check();
        if (this.#isEnded) return;
        this.#start(request);
        while (this.#isFull()) await new Promise<void>((resume) => (this.#resumeReading = resume));
      }
      this.end();
    } catch (error) {
      this.end(toAppError(error));
    }
  }

  async #waitForLimit(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const waitMs = rateLimitWaitMs(this.options.limit);
      if (waitMs === 0) return;
      await pause(waitMs, signal);
    }
  }

  #start(request: Request): void {
    const bytes = this.options.sizeOf(request);
    const answer = this.handle(request);
    // `answers` awaits it in its turn; until then a failure must not be reported as an unhandled rejection.
    answer.catch(noop);
    this.#pending.push({ bytes, answer });
    this.#bytes += bytes;
    this.#resumeAnswering();
  }

  #isFull(): boolean {
    const { maxUnanswered, maxBytes } = this.options;
    const hasReachedLimit = this.#pending.length >= maxUnanswered || this.#bytes >= maxBytes;
    return hasReachedLimit && !this.#isEnded;
  }

  async *answers(): AsyncGenerator<Response> {
    for (;;) {
      const [next] = this.#pending;
      if (next) {
        yield await next.answer;
        this.#pending.shift();
        this.#bytes -= next.bytes;
        this.#resumeReading();
      } else if (!this.#isEnded) {
        await new Promise<void>((resume) => (this.#resumeAnswering = resume));
      } else if (this.#failure) throw this.#failure;
      else return;
    }
  }
}

const noop = (): void => undefined;

/** Returns how long to wait before checking the limit again, in milliseconds; 0 if the request may be handled. */
function rateLimitWaitMs(limit: () => void): number {
  try {
    limit();
    return 0;
  } catch (thrown) {
    const { code, details } = toAppError(thrown);
    if (code !== 'RATE_LIMITED') throw thrown;
    return Math.min(Math.max(details.retryAfterMs ?? maxWaitMs, 1), maxWaitMs);
  }
}

function stopping(): AppError {
  return new AppError('UNAVAILABLE', 'This replica is stopping; try again');
}
