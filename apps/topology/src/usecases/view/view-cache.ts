import { LRUCache } from 'lru-cache';
import type { TopologyView } from '../../domain/view/topology-view';
import type { Viewer } from '../../domain/viewer';
import type { KnownFacts } from './collect-facts';

/** A page of the structure, decoded and encoded. */
export interface BuiltPage {
  readonly view: TopologyView;
  readonly nextPageToken: string;
  readonly encoded: Uint8Array;
}

/** The viewer and the variant of a view: everything that its facts depend on. */
export interface ViewKey {
  readonly viewer: Pick<Viewer, 'userId' | 'parentUserId'>;
  readonly includeDead: boolean;
}

/** How many pages of different sizes, and texts for different agents, are kept with one view. */
const maxPages = 2;
const maxTexts = 8;

/**
 * How many bytes of memory a view's facts take per byte of the encoded view: the same strings, with objects and
 * lists around them. Measuring this would mean visiting every entry of every new view.
 */
const factsBytesPerEncodedByte = 6;
/** How much memory the facts of an empty view take. */
const minFactsBytes = 2_000;

/** A composed view and what has been built from it so far. */
export class ComposedView {
  readonly pages = new LRUCache<number, BuiltPage>({ max: maxPages });
  readonly texts = new LRUCache<string, string>({ max: maxTexts });
  /** The size of the facts and the encoded view, before any page or text is built. */
  readonly #baseBytes: number;

  constructor(
    readonly facts: KnownFacts,
    readonly view: TopologyView,
    /** The whole view as it is sent. */
    readonly encoded: Uint8Array,
    readonly revision: string,
  ) {
    this.#baseBytes = minFactsBytes + (1 + factsBytesPerEncodedByte) * encoded.length;
  }

  /** Pages share their entries with the facts, so only their encoded form counts. */
  get bytes(): number {
    const built = [...this.pages.values()].map(({ encoded }) =>
      encoded === this.encoded ? 0 : encoded.length,
    );
    const texts = [...this.texts.values()].map((text) => 2 * text.length);
    return [...built, ...texts].reduce((sum, bytes) => sum + bytes, this.#baseBytes);
  }
}

export interface ViewCacheOptions {
  readonly maxBytes: number;
  /** Views that have not been requested for this long are dropped by `dropUnused`. */
  readonly maxUnusedMs: number;
}

/**
 * The latest view for each viewer, limited by total size. No view is sent without asking the services that own
 * its facts whether these have changed; the cache only avoids reading them and building the view again.
 */
export class ViewCache {
  readonly #views: LRUCache<string, ComposedView>;

  constructor({ maxBytes, maxUnusedMs }: ViewCacheOptions) {
    this.#views = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: maxUnusedMs,
      updateAgeOnGet: true,
    });
  }

  get bytes(): number {
    return this.#views.calculatedSize;
  }

  find(key: ViewKey): ComposedView | undefined {
    return this.#views.get(textOf(key));
  }

  /** Stores a view. Call this again after building more from the view, so that its new size counts. */
  set(key: ViewKey, view: ComposedView): void {
    this.#views.set(textOf(key), view);
  }

  dropUnused(): void {
    this.#views.purgeStale();
  }
}

function textOf({ viewer: { userId, parentUserId }, includeDead }: ViewKey): string {
  return JSON.stringify([userId, parentUserId ?? null, includeDead]);
}
