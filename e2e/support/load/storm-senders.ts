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
export interface Accepted {
  readonly messageId: string;
  readonly agentId: string;
  readonly channel: string;
  readonly sender: number;
  readonly number: number;
  /** A person's messages go before those of agents; order holds within each lane. */
  readonly lane: 'person' | 'other';
}

/** A channel of a person; its agent is known once the first message has been accepted. */
interface Channel {
  readonly person: Person;
  readonly id: string;
  agentId?: string;
}

interface Speaker {
  readonly agentId: string;
  readonly as: CallOptions;
}

interface Saying {
  readonly channel: Channel;
  readonly requestId: string;
  readonly text: string;
  /** The sending agent; undefined when a person sends. */
  readonly speaker: Speaker | undefined;
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

/** Senders that write to the agents of many people, each one message at a time. */
export class StormSenders {
  readonly accepted: Accepted[] = [];
  /** Calls that had to be repeated. */
  repeated = 0;
  /** False while too many messages are waiting. */
  mayContinue: () => boolean = () => true;
  readonly #random: Random;
  readonly #speakers = new Map<string, Promise<Speaker>>();
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
    // Enough people that every replica serves some of them.
    const least = Math.min(Math.ceil(agentCount / 2), 30);
    const count = Math.max(Math.ceil(agentCount / channelsPerPerson), least);
    const people: Person[] = [];
    while (people.length < count) people.push(await stack.people.newPerson());
    const channels = Array.from({ length: agentCount }, (_, index): Channel => {
      return { person: people[index % count]!, id: `channel-${Math.floor(index / count)}` };
    });
    return new StormSenders(options, people, channels);
  }

  /** Resolves when everything has been accepted. */
  async run(): Promise<void> {
    const { senderCount, messageCount } = this.options;
    const shares = Array.from({ length: senderCount }, (_, sender) =>
      this.#talk(sender, Math.floor((messageCount + sender) / senderCount)),
    );
    await Promise.all(shares).finally(() => this.#runtime.close());
  }

  async #talk(sender: number, count: number): Promise<void> {
    for (let number = 1; number <= count && !this.options.signal?.aborted; number += 1) {
      if (!this.mayContinue())
        await eventually(() => this.mayContinue(), { timeoutMs: answerWithinMs });
      const saying = await this.#choose(`s${sender} #${number}`);
      const { messageId, agentId } = await this.#say(saying);
      saying.channel.agentId ??= agentId;
      const channel = `${saying.channel.person.id}/${saying.channel.id}`;
      const lane = saying.speaker ? 'other' : 'person';
      this.accepted.push({ messageId, agentId, channel, sender, number, lane });
    }
  }

  async #choose(text: string): Promise<Saying> {
    const channel = this.channels[Math.floor(this.#random() * this.channels.length)]!;
    const byAgent = this.#random() < agentShare;
    const speaker = byAgent ? await this.#speakerTo(channel) : undefined;
    return { channel, speaker, text, requestId: createId() };
  }

  /** The first agent of the same person; undefined until both agents exist. */
  async #speakerTo({ person, agentId }: Channel): Promise<Speaker | undefined> {
    const first = this.channels.find((channel) => channel.person === person)?.agentId;
    if (first === undefined || agentId === undefined || first === agentId) return undefined;
    const known = this.#speakers.get(first) ?? this.#signIn(person, first);
    this.#speakers.set(first, known);
    return known;
  }

  async #signIn({ id }: Person, agentId: string): Promise<Speaker> {
    return { agentId, as: await this.options.stack.people.signIn(id, agentId) };
  }

  async #say(saying: Saying): Promise<{ messageId: string; agentId: string }> {
    return untilAnswered((attempt) => {
      if (attempt > 0) this.repeated += 1;
      return this.#window.run(() => call(this.#runtime, saying));
    }, answerWithinMs);
  }
}

/** One client for all replicas, which balances its calls. */
function connectToAll(stack: Stack): Runtime {
  const addresses = stack.runtimes.map((_, replica) => stack.addressOf('agent-runtime', replica));
  const address = `ipv4:${addresses.join(',')}`;
  return createRpcClient(AgentRuntimeServiceService, { address, timeoutMs: 5_000 });
}

async function call(
  runtime: Runtime,
  { channel, speaker, text, requestId }: Saying,
): Promise<{ messageId: string; agentId: string }> {
  if (!speaker) return runtime.postMessage(post(text, channel.id, requestId), channel.person.as);
  return runtime.sendAgentMessage({ requestId, agentId: channel.agentId!, text }, speaker.as);
}
