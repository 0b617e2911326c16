import { createId } from '@daycare/api/create-id';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { CallWindow } from './call-window';
import { post } from '../people/history';
import type { Runtime } from '../clients/clients';
import type { Stack } from '../stack/stack';
import { untilAnswered } from '../stack/until-answered';
import type { Person } from '../people/people';
import { seededRandom, type Random } from './seeded-random';

/** An accepted message. */
export interface AcceptedMessage {
  readonly messageId: string;
  readonly agentId: string;
  readonly channel: string;
  readonly sender: number;
  readonly number: number;
  /** A person's messages overtake those from agents; order is guaranteed only within a lane. */
  readonly lane: 'person' | 'other';
}

/** A person's channel; its agent is known once the first message has been accepted. */
interface Channel {
  readonly person: Person;
  readonly id: string;
  agentId?: string;
}

interface SendingAgent {
  readonly agentId: string;
  readonly as: CallOptions;
}

interface OutgoingMessage {
  readonly channel: Channel;
  readonly requestId: string;
  readonly text: string;
  /** Undefined if a person sends the message. */
  readonly sendingAgent: SendingAgent | undefined;
}

export interface SenderOptions {
  readonly stack: Stack;
  readonly agentCount: number;
  readonly senderCount: number;
  readonly messageCount: number;
  readonly seed: number;
  /** Stops sending when aborted. */
  readonly signal?: AbortSignal;
}

const channelsPerPerson = 10;
/** The share of messages that agents send to each other. */
const agentShare = 0.2;
const answerWithinMs = 300_000;

/** Senders that write to many people's agents; each sender sends one message at a time. */
export class StormSenders {
  readonly accepted: AcceptedMessage[] = [];
  /** How many retries were needed. */
  retriedCalls = 0;
  /** Returns false while too many messages are waiting. */
  mayContinue: () => boolean = () => true;
  readonly #random: Random;
  readonly #sendingAgents = new Map<string, Promise<SendingAgent>>();
  readonly #runtime: Runtime;
  readonly #window: CallWindow;

  private constructor(
    private readonly options: SenderOptions,
    readonly people: readonly Person[],
    private readonly channels: readonly Channel[],
  ) {
    this.#random = seededRandom(options.seed);
    this.#runtime = connectToAll(options.stack);
    this.#window = new CallWindow(options.senderCount);
  }

  static async prepare(options: SenderOptions): Promise<StormSenders> {
    const { stack, agentCount } = options;
    // Enough people for every replica to serve some of them.
    const minPeople = Math.min(Math.ceil(agentCount / 2), 30);
    const count = Math.max(Math.ceil(agentCount / channelsPerPerson), minPeople);
    const people: Person[] = [];
    while (people.length < count) people.push(await stack.people.newPerson());
    const channels = Array.from({ length: agentCount }, (_, index): Channel => {
      return { person: people[index % count]!, id: `channel-${Math.floor(index / count)}` };
    });
    return new StormSenders(options, people, channels);
  }

  /** Sends all messages; resolves when all that were sent have been accepted. */
  async run(): Promise<void> {
    const { senderCount, messageCount } = this.options;
    const sending = Array.from({ length: senderCount }, (_, sender) =>
      this.#sendAll(sender, Math.floor((messageCount + sender) / senderCount)),
    );
    await Promise.all(sending).finally(() => this.#runtime.close());
  }

  async #sendAll(sender: number, count: number): Promise<void> {
    for (let number = 1; number <= count && !this.options.signal?.aborted; number += 1) {
      if (!this.mayContinue())
        await eventually(() => this.mayContinue(), { timeoutMs: answerWithinMs });
      const message = await this.#composeMessage(`s${sender} #${number}`);
      const { messageId, agentId } = await this.#send(message);
      message.channel.agentId ??= agentId;
      const channel = `${message.channel.person.id}/${message.channel.id}`;
      const lane = message.sendingAgent ? 'other' : 'person';
      this.accepted.push({ messageId, agentId, channel, sender, number, lane });
    }
  }

  async #composeMessage(text: string): Promise<OutgoingMessage> {
    const channel = this.channels[Math.floor(this.#random() * this.channels.length)]!;
    const isFromAgent = this.#random() < agentShare;
    const sendingAgent = isFromAgent ? await this.#findSendingAgent(channel) : undefined;
    return { channel, sendingAgent, text, requestId: createId() };
  }

  /** Returns the person's first agent; undefined if that is the channel's own agent, or until both agents exist. */
  async #findSendingAgent({ person, agentId }: Channel): Promise<SendingAgent | undefined> {
    const first = this.channels.find((channel) => channel.person === person)?.agentId;
    if (first === undefined || agentId === undefined || first === agentId) return undefined;
    const sendingAgent = this.#sendingAgents.get(first) ?? this.#signIn(person, first);
    this.#sendingAgents.set(first, sendingAgent);
    return sendingAgent;
  }

  async #signIn({ id }: Person, agentId: string): Promise<SendingAgent> {
    return { agentId, as: await this.options.stack.people.signIn(id, agentId) };
  }

  async #send(message: OutgoingMessage): Promise<{ messageId: string; agentId: string }> {
    return untilAnswered((attempt) => {
      if (attempt > 0) this.retriedCalls += 1;
      return this.#window.run(() => call(this.#runtime, message));
    }, answerWithinMs);
  }
}

/** Creates one client that balances its calls between all replicas. */
function connectToAll(stack: Stack): Runtime {
  const addresses = stack.runtimes.map((_, replica) => stack.addressOf('agent-runtime', replica));
  const address = `ipv4:${addresses.join(',')}`;
  return createRpcClient(AgentRuntimeServiceService, { address, timeoutMs: 5_000 });
}

async function call(
  runtime: Runtime,
  { channel, sendingAgent, text, requestId }: OutgoingMessage,
): Promise<{ messageId: string; agentId: string }> {
  if (!sendingAgent)
    return runtime.postMessage(post(text, channel.id, requestId), channel.person.as);
  return runtime.sendAgentMessage({ requestId, agentId: channel.agentId!, text }, sendingAgent.as);
}
