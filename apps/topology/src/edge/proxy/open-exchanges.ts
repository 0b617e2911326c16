interface Exchange {
  readonly version: number;
  readonly close: () => void;
}

/** The requests and WebSockets in progress, by endpoint. */
export class OpenExchanges {
  readonly #byEndpoint = new Map<string, Set<Exchange>>();

  constructor(private readonly maxPerEndpoint: number) {}

  get size(): number {
    return [...this.#byEndpoint.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get endpointIds(): string[] {
    return [...this.#byEndpoint.keys()];
  }

  has(endpointId: string): boolean {
    return this.#byEndpoint.has(endpointId);
  }

  /**
   * Returns a function to call when the exchange ends, or undefined when the endpoint has too many exchanges.
   */
  add(endpointId: string, version: number, close: () => void): (() => void) | undefined {
    const open = this.#byEndpoint.get(endpointId) ?? new Set();
    if (open.size >= this.maxPerEndpoint) return undefined;
    const exchange = { version, close };
    this.#byEndpoint.set(endpointId, open.add(exchange));
    return () => {
      open.delete(exchange);
      if (open.size === 0 && this.#byEndpoint.get(endpointId) === open)
        this.#byEndpoint.delete(endpointId);
    };
  }

  /** Closes an endpoint's exchanges, except those that began under its current version. */
  close(endpointId: string, currentVersion?: number): void {
    for (const { version, close } of [...(this.#byEndpoint.get(endpointId) ?? [])])
      if (version !== currentVersion) close();
  }

  closeAll(): void {
    this.endpointIds.forEach((id) => this.close(id));
  }
}
