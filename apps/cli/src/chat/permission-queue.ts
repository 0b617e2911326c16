import {
  PermissionState,
  type PermissionRequest,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';

type PermissionEvent = WatchPermissionRequestsResponse['event'];

/** What waits to be put to the person here, oldest first, whatever is decided elsewhere meanwhile. */
export class PermissionQueue {
  readonly #isForHere: (request: PermissionRequest) => boolean;
  readonly #waiting = new Map<string, PermissionRequest>();
  readonly #left = new Set<string>();
  #told = new Set<string>();

  constructor(isForHere: (request: PermissionRequest) => boolean) {
    this.#isForHere = isForHere;
  }

  get next(): PermissionRequest | undefined {
    const [first] = this.#waiting.values();
    return first;
  }

  /** A stream has been opened: it begins with all that is pending. */
  begin(): void {
    this.#told = new Set();
  }

  hear(event: PermissionEvent): void {
    if (event?.$case === 'permissionRequest') this.#hearOf(event.value);
    if (event?.$case !== 'caughtUp') return;
    for (const id of this.#waiting.keys()) if (!this.#told.has(id)) this.#waiting.delete(id);
  }

  /** It has been answered here, or the person wants to leave it open. */
  leave({ id }: PermissionRequest): void {
    this.#waiting.delete(id);
    this.#left.add(id);
  }

  #hearOf(request: PermissionRequest): void {
    const { id, state } = request;
    this.#told.add(id);
    if (state !== PermissionState.PENDING) this.#waiting.delete(id);
    else if (!this.#left.has(id) && this.#isForHere(request)) this.#waiting.set(id, request);
  }
}
