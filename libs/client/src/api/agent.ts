import type {
  Agent as AgentOverview,
  HistoryRecord,
  PostMessageResponse,
} from '@daycare/contracts/agent-runtime';
import { DaycareError } from '../transport/daycare-error';
import type { Caller } from '../calls/caller';
import { newRequestId } from '../calls/request-id';
import type { Rpcs } from '../calls/rpc';
import type { CallOptions } from '../transport/transport';
import { AnswerFinder, type Answer } from './find-answer';
import { readPages } from './pages';
import { watchAgent, type AgentEvent, type WatchOptions } from './watches';

/** Where a person's messages come from; each channel has its own agent. */
export interface Channel {
  /** The program that posts, e.g. `telegram`. */
  readonly connector: string;
  readonly channelId: string;
  /** The connector's own id for the person. */
  readonly connectorUserId: string;
}

export interface SendOptions extends CallOptions {
  /** Sending a message again with the same id has no further effect. */
  readonly requestId?: string;
  /** Ids of uploaded files. */
  readonly fileIds?: readonly string[];
  /** Returned unchanged in the record of the answer; Daycare does not interpret it. */
  readonly replyTarget?: string;
}

export interface AnswerOptions extends CallOptions {
  /** How long to wait for the answer; two minutes by default. */
  readonly waitMs?: number;
  /**
   * Called with each piece of text that the model writes until the answer is complete. If the model is asked again, the
   * text starts over.
   */
  readonly onDelta?: (text: string) => void;
}

export interface AskOptions extends SendOptions, AnswerOptions {}

export interface AgentDeps {
  readonly caller: Caller;
  readonly rpc: Rpcs;
}

/** Identifies a message that was sent. */
export type SentMessage = Pick<PostMessageResponse, 'messageId' | 'agentId' | 'afterSequence'>;

const defaultWaitMs = 120_000;

/** The agent of one channel. It exists once a message has been sent to it. */
export class Agent {
  #id: string | undefined;

  constructor(
    private readonly deps: AgentDeps,
    private readonly channel: Channel,
  ) {}

  /** Stores a message for the agent. Resolves once the message is stored; the answer comes later. */
  async send(text: string, options: SendOptions = {}): Promise<PostMessageResponse> {
    const { requestId = newRequestId(), fileIds = [], replyTarget = '' } = options;
    const request = { ...this.channel, requestId, text, fileIds: [...fileIds], replyTarget };
    const posted = await this.deps.rpc.agentRuntime.postMessage(request, options);
    this.#id = posted.agentId;
    return posted;
  }

  /** Sends a message and waits for its answer, across disconnects and restarts. */
  async ask(text: string, options: AskOptions = {}): Promise<Answer> {
    return this.answerTo(await this.send(text, options), options);
  }

  /**
   * Waits for the answer to a message that was sent. Throws DEADLINE_EXCEEDED if there is none after `waitMs`, and
   * FAILED_PRECONDITION if the agent ends first.
   */
  async answerTo(
    { messageId, agentId, afterSequence }: SentMessage,
    options: AnswerOptions = {},
  ): Promise<Answer> {
    this.#id = agentId;
    const timeout = AbortSignal.timeout(options.waitMs ?? defaultWaitMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const finder = new AnswerFinder(messageId, agentId);
    try {
      for await (const event of this.watch({ after: afterSequence, signal })) {
        if (event.$case === 'delta') options.onDelta?.(event.value.text);
        const answer = event.$case === 'record' ? finder.next(event.value) : undefined;
        if (answer) return answer;
      }
    } catch (error) {
      throw timeout.aborted ? noAnswerYet() : error;
    }
    throw new DaycareError({
      code: 'FAILED_PRECONDITION',
      message: 'The agent has ended',
      details: {},
    });
  }

  /**
   * Yields what the agent does, and every record with a higher sequence number than `after`. Each record is yielded
   * once and in order, even if connections are lost or services restart. Ends when the agent ends.
   */
  async *watch({ after = 0, ...options }: WatchOptions = {}): AsyncGenerator<
    AgentEvent,
    void,
    undefined
  > {
    const agentId = await this.id(options);
    yield* watchAgent(this.deps.caller, agentId, { after, ...options });
  }

  /** Yields what has been recorded so far, oldest first. */
  async *history(options: CallOptions = {}): AsyncGenerator<HistoryRecord, void, undefined> {
    const agentId = await this.id(options);
    yield* readPages(async (page) => {
      const request = { agentId, ...page, afterSequence: 0, newestFirst: false };
      const { records, nextPageToken } = await this.deps.rpc.agentRuntime.listHistory(
        request,
        options,
      );
      return { items: records, nextPageToken };
    });
  }

  /** Resolves to the agent's id; throws NOT_FOUND while there is no agent. */
  async id(options: CallOptions = {}): Promise<string> {
    this.#id ??= await this.#find(options);
    return this.#id;
  }

  async #find(options: CallOptions): Promise<string> {
    for await (const { id, descriptor } of listAgents(this.deps.rpc, options)) {
      if (descriptor?.kind?.$case === 'user' && isSame(descriptor.kind.value, this.channel))
        return id;
    }
    throw new DaycareError({ code: 'NOT_FOUND', message: 'Agent not found', details: {} });
  }
}

/** Lists the caller's living agents. */
export function listAgents(
  rpc: Rpcs,
  options: CallOptions = {},
): AsyncGenerator<AgentOverview, void, undefined> {
  return readPages(async (page) => {
    const request = { ...page, subuserId: '', kinds: [], includeDead: false };
    const { agents, nextPageToken } = await rpc.agentRuntime.listAgents(request, options);
    return { items: agents, nextPageToken };
  });
}

function isSame(one: Channel, other: Channel): boolean {
  return (
    one.connector === other.connector &&
    one.channelId === other.channelId &&
    one.connectorUserId === other.connectorUserId
  );
}

function noAnswerYet(): DaycareError {
  const message = 'The agent has not answered in time; the message is stored and will be handled';
  return new DaycareError({ code: 'DEADLINE_EXCEEDED', message, details: {} });
}
