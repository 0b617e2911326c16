import {
  AgentRole,
  PermissionState,
  ToolProgressState,
  type AssistantDelta,
  type FileReference,
  type HistoryRecord,
  type PermissionDecision,
  type PermissionRequest,
  type ToolProgress,
  type UserDescriptor,
  type WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';
import { resume } from '@daycare/client';
import { saveFiles } from '../client/files/save-files';
import { uploadFile, uploadPath } from '../client/files/transfer';
import { loadTopologyText } from '../client/load-topology';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import { Attachments } from './input/attachments';
import { planBacklog, type Backlog } from './visits/backlog';
import { findChatAgent, type ChatAgent } from './find-chat-agent';
import { untilAvailable, type Outage } from './until-available';
import type { ReadPositions } from './visits/read-positions';

/** An agent event that a chat shows. */
export type ChatEvent =
  | { readonly kind: 'delta'; readonly delta: AssistantDelta }
  | { readonly kind: 'tool'; readonly tool: string; readonly isRunning: boolean }
  | { readonly kind: 'record'; readonly record: HistoryRecord; readonly isOwn: boolean };

/** Which agent the chat follows, and the record after which the chat starts. */
interface FollowStart {
  readonly agentId: string;
  readonly afterSequence: number;
}

/** A person's chat with one agent. If a channel's agent does not exist yet, the first message creates it. */
export class Conversation {
  readonly #session: Session;
  readonly #address: UserDescriptor;
  readonly #ownMessageIds = new Set<string>();
  readonly #callsInProgress = new Set<Promise<unknown>>();
  #lastPost: Promise<void> = Promise.resolve();
  readonly #attachments = new Attachments();
  /** The files from the last reply or schedule result that has files. */
  #receivedFiles: readonly FileReference[] = [];
  readonly #followStart: Promise<FollowStart>;
  #resolveFollowStart: (start: FollowStart) => void = () => undefined;
  #agentId: string | undefined;

  /**
   * Where the chat begins in the agent's history; undefined if it shows only new records, or if the agent did not exist
   * when the chat was opened.
   */
  readonly backlog: Backlog | undefined;
  readonly #positions: ReadPositions | undefined;

  private constructor(
    session: Session,
    { address, agent }: ChatAgent,
    positions: ReadPositions | undefined,
  ) {
    this.#session = session;
    this.#address = address;
    this.#positions = positions;
    this.#followStart = new Promise((resolve) => (this.#resolveFollowStart = resolve));
    if (!agent) return;
    const { id: agentId, lastSequence } = agent;
    this.backlog = positions && planBacklog(positions.of(agentId), lastSequence);
    const { afterSequence } = this.backlog ?? { afterSequence: lastSequence };
    this.#startFollowing({ agentId, afterSequence });
  }

  /**
   * Opens a chat. With `positions`, the chat begins with the records since the last visit, at most the newest 50, and
   * stores the position of the last record shown. Without `positions`, the chat shows only new records.
   */
  static async open(
    session: Session,
    target: { readonly channel: string; readonly agent?: string },
    positions?: ReadPositions,
  ): Promise<Conversation> {
    return new Conversation(session, await findChatAgent(session, target), positions);
  }

  /** Undefined until the agent exists. */
  get agentId(): string | undefined {
    return this.#agentId;
  }

  /**
   * Posts a message after all earlier posts have succeeded or failed, and resolves with the id of the stored message.
   * While the service is down, the post is retried if `outage` is given, and fails otherwise.
   */
  async send(text: string, outage?: Outage): Promise<string> {
    const earlier = this.#lastPost;
    const posting = earlier.then(() => this.#post(text, outage));
    this.#lastPost = posting.then(
      () => undefined,
      () => undefined,
    );
    this.#callsInProgress.add(posting);
    try {
      return await posting;
    } finally {
      this.#callsInProgress.delete(posting);
    }
  }

  async #post(text: string, outage?: Outage): Promise<string> {
    const { runtime, requestIds } = this.#session;
    // Every attempt uses the same request id, so the message is stored only once even if a response is lost.
    const request = { requestId: requestIds.next(), ...this.#address, text, replyTarget: '' };
    const { messageId, agentId, afterSequence } = await this.#attachments.postWithFiles((fileIds) =>
      untilAvailable(() => runtime.postMessage({ ...request, fileIds }), outage),
    );
    this.#ownMessageIds.add(messageId);
    // Changes nothing if the chat already follows the agent. With positions, the whole history of a new agent is shown,
    // because messages from others may have been waiting for it.
    this.#startFollowing({ agentId, afterSequence: this.#positions ? 0 : afterSequence });
    return messageId;
  }

  #startFollowing(start: FollowStart): void {
    this.#agentId = start.agentId;
    this.#resolveFollowStart(start);
  }

  /**
   * Yields the records from the start of the chat on (see `open`), and the text and tool calls of the turn in progress.
   * Reconnects after a disconnect. Waits until the agent exists; ends when the agent dies.
   */
  async *follow(signal: AbortSignal, onDisconnect?: () => void): AsyncGenerator<ChatEvent> {
    const { runtime } = this.#session;
    const { agentId, afterSequence: first } = await this.#followStart;
    let afterSequence = first;
    const open = () => runtime.watchAgent({ agentId, afterSequence }, { signal });
    const options = { mayResume: () => !signal.aborted, ...(onDisconnect ? { onDisconnect } : {}) };
    for await (const { event } of resume(open, options)) {
      if (event?.$case === 'delta') yield { kind: 'delta', delta: event.value };
      if (event?.$case === 'toolProgress') yield toToolEvent(event.value);
      if (event?.$case !== 'record') continue;
      afterSequence = event.value.sequence;
      this.#receive(event.value);
      yield { kind: 'record', record: event.value, isOwn: await this.#isOwn(event.value) };
      this.#positions?.set(agentId, afterSequence);
    }
  }

  #receive({ record }: HistoryRecord): void {
    if (record?.$case !== 'assistantMessage' && record?.$case !== 'userMessage') return;
    const isForPerson = record.$case === 'assistantMessage' || record.value.forPerson;
    if (isForPerson && record.value.files.length > 0) this.#receivedFiles = record.value.files;
  }

  /** Uploads a file to send with the next message. */
  async attach(path: string): Promise<FileReference> {
    return this.#attachments.add(uploadPath(this.#session, path));
  }

  /** Saves the files from the last reply or schedule result that has files; yields each path once its file is saved. */
  save(folder: string): AsyncIterable<string> {
    return saveFiles(this.#session, this.#receivedFiles, folder);
  }

  /**
   * Reports whether a record is a message from this chat. Waits for calls in progress, because a record can arrive
   * before the response to the call that caused it.
   */
  async #isOwn({ record }: HistoryRecord): Promise<boolean> {
    if (record?.$case !== 'userMessage' || record.value.origin !== '') return false;
    await Promise.allSettled(this.#callsInProgress);
    return record.value.messageIds.some((id) => this.#ownMessageIds.has(id));
  }

  /**
   * Yields all pending permission requests, then each change. After a disconnect, calls `onOpen` again and yields all
   * pending requests again.
   */
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

  /**
   * Reports whether this chat shows a permission request. Only pending requests are shown. If a request names a chat,
   * only that chat shows it; otherwise every chat does.
   */
  readonly shows = ({ state, target }: PermissionRequest): boolean =>
    state === PermissionState.PENDING &&
    (target === undefined ||
      (target.connector === this.#address.connector &&
        target.channelId === this.#address.channelId));

  async decide(
    { id }: PermissionRequest,
    decision: PermissionDecision,
  ): Promise<PermissionRequest | undefined> {
    const { runtime, requestIds } = this.#session;
    const request = { requestId: requestIds.next(), permissionRequestId: id, decision };
    return (await runtime.decidePermission(request)).permissionRequest;
  }

  /**
   * Stops the turn in progress; `steeringText` tells the agent what to do instead. Returns false if there is no agent
   * yet.
   */
  async stop(steeringText = ''): Promise<boolean> {
    const { runtime, requestIds } = this.#session;
    const agentId = this.#agentId;
    if (agentId === undefined) return false;
    const requestId = requestIds.next();
    const stopping = runtime.stopTurn({ requestId, agentId, steeringText, replyTarget: '' });
    this.#callsInProgress.add(stopping);
    try {
      const { messageId } = await stopping;
      if (messageId !== '') this.#ownMessageIds.add(messageId);
    } finally {
      this.#callsInProgress.delete(stopping);
    }
    return true;
  }

  /** Stops the agent and clears its context. Returns false if there is no agent yet. */
  async reset(): Promise<boolean> {
    const { runtime, requestIds } = this.#session;
    if (this.#agentId === undefined) return false;
    const requestId = requestIds.next();
    await runtime.resetAgent({ requestId, agentId: this.#agentId, message: '' });
    return true;
  }

  /** Returns the newest `count` records, oldest first. */
  async history(count: number): Promise<HistoryRecord[]> {
    const { runtime } = this.#session;
    if (this.#agentId === undefined) return [];
    const filter = { agentId: this.#agentId, afterSequence: 0, newestFirst: true };
    const records = await collect(count, async (page) => {
      const response = await runtime.listHistory({ ...page, ...filter });
      return { items: response.records, nextPageToken: response.nextPageToken };
    });
    return records.reverse();
  }

  /** Finds what the agent is waiting for, e.g. a model provider; undefined if it is not waiting, or not created yet. */
  async findBlocker(): Promise<string | undefined> {
    if (this.#agentId === undefined) return undefined;
    const selector = { $case: 'agentId', value: this.#agentId } as const;
    return (await this.#session.runtime.getAgent({ selector })).agent?.waiting?.for;
  }

  /**
   * Sets the agent's model unless `chosen` is empty; `default` clears an earlier choice. Returns the model in use: its
   * name is `none` if there is no model, and empty if there is no agent yet.
   */
  async model(chosen: string): Promise<{ readonly name: string; readonly problem: string }> {
    const { runtime, requestIds } = this.#session;
    const agentId = this.#agentId;
    if (agentId === undefined) return { name: '', problem: '' };
    const scope = { userId: '', agentId, role: AgentRole.UNSPECIFIED };
    const models = chosen === 'default' ? [] : [chosen];
    const { current } =
      chosen === ''
        ? await runtime.getModel(scope)
        : await runtime.setModel({ requestId: requestIds.next(), ...scope, models });
    const [first] = current?.choices ?? [];
    const problem = first && first.problem !== '' ? ` (${first.problem})` : '';
    return { name: current?.model?.name ?? 'none', problem };
  }

  /** Attaches text as a file. */
  async attachText(name: string, text: string): Promise<FileReference> {
    const content = Buffer.from(text);
    const upload = uploadFile(this.#session, { name, mimeType: 'text/plain', content });
    return this.#attachments.add(upload);
  }

  async topology(): Promise<string> {
    return loadTopologyText(this.#session.topology, false);
  }
}

function toToolEvent({ toolName: tool, state }: ToolProgress): ChatEvent {
  return { kind: 'tool', tool, isRunning: state === ToolProgressState.STARTED };
}
