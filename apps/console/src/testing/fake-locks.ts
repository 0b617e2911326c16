type HeldCallback = () => unknown;

interface Waiting {
  readonly name: string;
  readonly grant: () => Promise<void>;
}

/** The Web Locks features that the console uses: each lock has one holder, and is granted in the order of requests. */
export class FakeLocks {
  readonly #held = new Set<string>();
  #waiting: Waiting[] = [];

  request(
    name: string,
    { signal }: { signal: AbortSignal },
    callback: HeldCallback,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const grant = async (): Promise<void> => {
        this.#held.add(name);
        resolve(await callback());
        this.#held.delete(name);
        this.#grantNext();
      };
      const waiting = { name, grant };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new Error('aborted'));
      });
      void Promise.resolve().then(() => this.#grantNext());
    });
  }

  query(): Promise<{ pending: { name: string }[] }> {
    return Promise.resolve({ pending: this.#waiting.map(({ name }) => ({ name })) });
  }

  #grantNext(): void {
    const next = this.#waiting.find(({ name }) => !this.#held.has(name));
    if (!next) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    void next.grant();
    this.#grantNext();
  }
}
