import {
  PermissionState,
  type Agent,
  type AssistantDelta,
  type HistoryRecord,
  type PermissionDecision,
  type PermissionRequest,
  type UserDescriptor,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';
import { loadTopology } from '../client/load-topology';
import { collect } from '../client/pages';
import { resume } from '../client/resume';
import type { Session } from '../client/session';
import { findPlace } from './find-place';

/** What a person sees of the agent. */
export type ChatEvent =
  | { readonly kind: 'delta'; readonly delta: AssistantDelta }
  | { readonly kind: 'record'; readonly record: HistoryRecord; readonly isOwn: boolean };

interface Followed {
  readonly agentId: string;
  readonly afterSequence: number;
}

/** A person's talk with the agent of one channel. The agent may be made by the first words only. */
export class Conversation {
  readonly #session: Session;
  readonly #place: UserDescriptor;
  readonly #own = new Set<string>();
  readonly #posting = new Set<Promise<unknown>>();
  readonly #followed: Promise<Followed>;
  #beginFollowing: (followed: Followed) => void = () => undefined;
  #agentId: string | undefined;

  private constructor(session: Session, place: UserDescriptor, agent: Agent | undefined) {
    this.#session = session;
    this.#place = place;
    this.#followed = new Promise((resolve) => (this.#beginFollowing = resolve));
    if (agent) this.#found({ agentId: agent.id, afterSequence: agent.lastSequence });
  }

  static async open(
    session: Session,
    wish: { readonly channel: string; readonly agent?: string },
  ): Promise<Conversation> {
    const { place, agent } = await findPlace(session, wish);
    return new Conversation(session, place, agent);
  }

  get hasAgent(): boolean {
    return this.#agentId !== undefined;
  }

  /** Posts the person's words; answers with the id of the message once it cannot be lost. */
  async say(text: string): Promise<string> {
    const posting = this.#post(text);
    this.#posting.add(posting);
    try {
      return await posting;
    } finally {
      this.#posting.delete(posting);
    }
  }

  async #post(text: string): Promise<string> {
    const { runtime, requestIds } = this.#session;
    const request = {
      requestId: requestIds.next(),
      ...this.#place,
      text,
      fileIds: [],
      replyTarget: '',
    };
    const { messageId, agentId, afterSequence } = await runtime.postMessage(request);
    this.#own.add(messageId);
    this.#found({ agentId, afterSequence });
    return messageId;
  }

  #found(followed: Followed): void {
    this.#agentId = followed.agentId;
    this.#beginFollowing(followed);
  }

  /** Everything new of the agent, over cuts; waits for there to be one, and ends with its death. */
  async *follow(signal: AbortSignal, onCut?: () => void): AsyncGenerator<ChatEvent> {
    const { runtime } = this.#session;
    const { agentId, afterSequence: first } = await this.#followed;
    let afterSequence = first;
    const open = () => runtime.watchAgent({ agentId, afterSequence }, { signal });
    const options = { mayResume: () => !signal.aborted, ...(onCut ? { onCut } : {}) };
    for await (const { event } of resume(open, options)) {
      if (event?.$case === 'delta') yield { kind: 'delta', delta: event.value };
      if (event?.$case !== 'record') continue;
      afterSequence = event.value.sequence;
      yield { kind: 'record', record: event.value, isOwn: await this.#isOwn(event.value) };
    }
  }

  /** A record can be here before the answer to the call that caused it. */
  async #isOwn({ record }: HistoryRecord): Promise<boolean> {
    if (record?.$case !== 'userMessage' || record.value.origin !== '') return false;
    await Promise.allSettled(this.#posting);
    return record.value.messageIds.some((id) => this.#own.has(id));
  }

  /** All that is pending and each change, over cuts. `onOpen`: it begins again with all pending. */
  async *followPermissions(
    onOpen: () => void,
    signal: AbortSignal,
  ): AsyncGenerator<WatchPermissionRequestsResponse['event']> {
    const { runtime } = this.#session;
    const open = () => {
      onOpen();
      return runtime.watchPermissionRequests({}, { signal });
    };
    const mayResume = (): boolean => !signal.aborted;
    for await (const { event } of resume(open, { mayResume })) yield event;
  }

  /** Requests are shown where the person talked last, and anywhere when that is unknown. */
  readonly shows = ({ state, target }: PermissionRequest): boolean =>
    state === PermissionState.PENDING &&
    (target === undefined ||
      (target.connector === this.#place.connector && target.channelId === this.#place.channelId));

  async decide(
    { id }: PermissionRequest,
    decision: PermissionDecision,
  ): Promise<PermissionRequest | undefined> {
    const { runtime, requestIds } = this.#session;
    const request = { requestId: requestIds.next(), permissionRequestId: id, decision };
    return (await runtime.decidePermission(request)).permissionRequest;
  }

  /** False when there is no agent yet that could forget. */
  async reset(): Promise<boolean> {
    const { runtime, requestIds } = this.#session;
    if (this.#agentId === undefined) return false;
    const requestId = requestIds.next();
    await runtime.resetAgent({ requestId, agentId: this.#agentId, message: '' });
    return true;
  }

  /** The newest records, oldest first. */
  async history(count: number): Promise<HistoryRecord[]> {
    const { runtime } = this.#session;
    if (this.#agentId === undefined) return [];
    const filter = { agentId: this.#agentId, afterSequence: 0, newestFirst: true };
    const records = await collect(count, async (page) => {
      const answer = await runtime.listHistory({ ...page, ...filter });
      return { items: answer.records, nextPageToken: answer.nextPageToken };
    });
    return records.reverse();
  }

  async topology(): Promise<string> {
    return (await loadTopology(this.#session.topology, false)).text;
  }
}
