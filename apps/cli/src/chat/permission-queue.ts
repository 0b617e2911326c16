import {
  PermissionState,
  type PermissionRequest,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';

type PermissionEvent = WatchPermissionRequestsResponse['event'];

/** The permission requests to ask about in this chat, oldest first; drops those decided elsewhere. */
export class PermissionQueue {
  readonly #isForThisChat: (request: PermissionRequest) => boolean;
  readonly #waiting = new Map<string, PermissionRequest>();
  readonly #dismissed = new Set<string>();
  #listed = new Set<string>();

  constructor(isForThisChat: (request: PermissionRequest) => boolean) {
    this.#isForThisChat = isForThisChat;
  }

  get next(): PermissionRequest | undefined {
    const [first] = this.#waiting.values();
    return first;
  }

  /** Must be called whenever a new stream is opened, because every stream first lists all pending requests. */
  restart(): void {
    this.#listed = new Set();
  }

  add(event: PermissionEvent): void {
    if (event?.$case === 'permissionRequest') this.#update(event.value);
    if (event?.$case !== 'caughtUp') return;
    for (const id of this.#waiting.keys()) if (!this.#listed.has(id)) this.#waiting.delete(id);
  }

  /** Stops asking about a request: it was answered here, or the person wants to decide later. */
  dismiss({ id }: PermissionRequest): void {
    this.#waiting.delete(id);
    this.#dismissed.add(id);
  }

  #update(request: PermissionRequest): void {
    const { id, state } = request;
    this.#listed.add(id);
    if (state !== PermissionState.PENDING) this.#waiting.delete(id);
    else if (!this.#dismissed.has(id) && this.#isForThisChat(request))
      this.#waiting.set(id, request);
  }
}
