import { TopologyFormat, type WatchTopologyResponse } from '@daycare/contracts/topology';
import { AppError } from '@daycare/api';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { recordFigure } from '../stack/record-figure';
import type { Topology } from '../clients/clients';

/** Watches a topology as a client does: it resumes interrupted streams. */
export class TopologyWatcher {
  /** Every view so far. */
  readonly views: WatchTopologyResponse[] = [];
  readonly #stopping = new AbortController();
  readonly #ended: Promise<AppError | undefined>;

  constructor(topology: Topology, as: CallOptions, afterRevision = '') {
    this.#ended = this.#watch(topology, as, afterRevision);
  }

  get revision(): string {
    return this.views.at(-1)?.topology?.revision ?? '';
  }

  get text(): string {
    return this.views.at(-1)?.text ?? '';
  }

  /** Everything shown so far, as JSON. */
  get everything(): string {
    return JSON.stringify(this.views);
  }

  /**
   * Makes a change, waits until the watcher's text shows it, and records the time from the call's response until then.
   */
  async awaitChange<T>(
    what: string,
    change: () => Promise<T>,
    isShown: (text: string, changed: T) => boolean,
  ): Promise<T> {
    const changed = await change();
    const changedAt = performance.now();
    await eventually(() => isShown(this.text, changed), { timeoutMs: 5_000, intervalMs: 5 });
    recordFigure(`topology watched: ${what}`, performance.now() - changedAt);
    return changed;
  }

  /** Resolves with the error that ended the stream for good; undefined if the watcher was stopped. */
  ended(): Promise<AppError | undefined> {
    return this.#ended;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #watch(
    topology: Topology,
    as: CallOptions,
    afterRevision: string,
  ): Promise<AppError | undefined> {
    const { signal } = this.#stopping;
    while (!this.#isStopping()) {
      try {
        const from = { afterRevision: this.revision || afterRevision, pageSize: 0 };
        const options = { ...as, signal, timeoutMs: 120_000 };
        const request = { ...from, includeDead: false, format: TopologyFormat.UNSPECIFIED };
        for await (const view of topology.watchTopology(request, options)) this.views.push(view);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (this.#isStopping()) return undefined;
        if (error.code !== 'UNAVAILABLE') return error;
      }
    }
    return undefined;
  }
}
