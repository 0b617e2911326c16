import type { Logger, Renewals, TlsFiles } from '@daycare/rpc';

export type PemFiles = Readonly<Partial<TlsFiles>>;
type Unsubscribe = () => void;

interface Subscriber<Files> {
  readonly onRenewed: (renewed: Files) => void;
  readonly onProblem: (problem: Error) => void;
}

/**
 * Polls files while there are subscribers, and passes the files on when their content has changed. Polling works where
 * file notifications do not: on network file systems, and for a mounted Secret, which is replaced by changing a
 * symbolic link.
 */
export class FileRenewals<Files extends PemFiles> implements Renewals<Files> {
  readonly #subscribers = new Set<Subscriber<Files>>();
  readonly #read: () => Files;
  readonly #everyMs: number;
  #current: Files;
  /** The files as last read. Files are used only once two reads agree, because a file may be half written. */
  #lastRead: Files | undefined;
  #lastProblem = '';
  #timer: NodeJS.Timeout | undefined;

  /** `read` must throw if the files cannot be used, e.g. because they are being replaced. */
  constructor(current: Files, read: () => Files, everyMs: number) {
    this.#current = current;
    this.#read = read;
    this.#everyMs = everyMs;
  }

  get current(): Files {
    return this.#current;
  }

  subscribe(
    onRenewed: (renewed: Files) => void,
    onProblem: (problem: Error) => void = () => undefined,
  ): Unsubscribe {
    const subscriber = { onRenewed, onProblem };
    this.#subscribers.add(subscriber);
    this.#timer ??= setInterval(() => this.#poll(), this.#everyMs).unref();
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #poll(): void {
    try {
      const files = this.#read();
      this.#lastProblem = '';
      const isComplete = this.#lastRead !== undefined && isSame(files, this.#lastRead);
      this.#lastRead = files;
      if (!isComplete || isSame(files, this.#current)) return;
      this.#current = files;
      for (const { onRenewed } of this.#subscribers) onRenewed(files);
    } catch (error) {
      this.#report(error as Error);
    }
  }

  /** Reports a problem only once for as long as it lasts. */
  #report(problem: Error): void {
    if (problem.message === this.#lastProblem) return;
    this.#lastProblem = problem.message;
    for (const { onProblem } of this.#subscribers) onProblem(problem);
  }
}

function isSame(a: PemFiles, b: PemFiles): boolean {
  const textOf = (files: PemFiles): string => Object.values(files).join('\n');
  return textOf(a) === textOf(b);
}

/** Logs whether renewed files are used; `of` says what the files are for. */
export function logRenewals(
  log: Logger,
  of: string,
  renewals: { subscribe: FileRenewals<PemFiles>['subscribe'] } | undefined,
): void {
  renewals?.subscribe(
    () => log.info({ event: 'tls_renewed', of }, 'certificate renewed; new connections use it'),
    (err) => log.warn({ err, of }, 'renewed certificate cannot be used; keeping the previous one'),
  );
}
