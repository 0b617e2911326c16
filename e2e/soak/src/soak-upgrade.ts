import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { MessageStatus, SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import { appNames, findWorkspaceRoot, type AppName } from '@daycare/local-stack';
import { createRpcClient } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { whenDrained } from '../../support/load/message-storm';
import { historyOf, post, summaryOf } from '../../support/people/history';
import type { Person } from '../../support/people/people';
import { startStack, type Stack } from '../../support/stack/stack';

const pairCount = 5;
/** How many calls every person makes on average after each replica is replaced. */
const callsPerReplacement = 20;
const settleWithinMs = 120_000;

/**
 * Replaces another build's services with those of this one, replica by replica and identity first, as docs/deploy.md
 * says, while people call all services, directly and through the gateway. `otherDist` is the other
 * build's `dist` folder. Prints every failed call, and every message that was lost, duplicated or abandoned;
 * returns the exit code.
 */
export async function soakUpgrade(otherDist: string, say: (line: string) => void): Promise<number> {
  const upgraded = new Set<AppName>();
  const current = join(findWorkspaceRoot(__dirname), 'dist');
  const stack = await startStack({
    ownServers: true,
    services: appNames,
    replicas: Object.fromEntries(appNames.map((name) => [name, 2])),
    knowAllReplicas: true,
    bundleOf: (name) => join(upgraded.has(name) ? current : otherDist, name, 'main.js'),
  });
  try {
    const load = new Load(stack);
    await load.prepare();
    const running = load.run();
    await load.untilMoreCalls();
    for (const name of appNames) {
      upgraded.add(name);
      for (const replica of [0, 1]) {
        await stack.service(name, replica).restart();
        await load.untilMoreCalls();
        say(`${name} ${replica} replaced: ${load.calls} calls, ${load.failures.length} failed`);
      }
    }
    load.stop();
    await running;
    await whenDrained(stack, settleWithinMs);
    const faults = [...load.failures, ...(await load.findFaults())];
    for (const fault of new Set(faults)) say(`FAILED: ${fault}`);
    say(`${load.calls} calls, ${load.failures.length} failed.`);
    if (faults.length === 0)
      say(
        `${load.accepted} accepted messages: each is in its recipient's history once, and none is a dead letter.`,
      );
    return faults.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

/** Friends who write to each other and to their agents, and read data, through all replicas. */
class Load {
  readonly failures: string[] = [];
  readonly #stack: Stack;
  readonly #clients;
  #people: (readonly [Person, Person])[] = [];
  /** Accepted messages, by their text, which is unique. */
  readonly #posted = new Map<string, { readonly person: Person; readonly agentId: string }>();
  readonly #sent = new Map<
    string,
    { readonly person: Person; readonly friend: Person; readonly messageId: string }
  >();
  #calls = 0;
  #isOver = false;

  constructor(stack: Stack) {
    this.#stack = stack;
    const optionsOf = (name: AppName) => ({
      address: `ipv4:${[0, 1].map((replica) => stack.addressOf(name, replica)).join(',')}`,
      timeoutMs: 10_000,
    });
    this.#clients = {
      identity: createRpcClient(IdentityServiceService, optionsOf('identity')),
      gateway: createRpcClient(IdentityServiceService, optionsOf('gateway')),
      graph: createRpcClient(SocialGraphServiceService, optionsOf('social-graph')),
      runtime: createRpcClient(AgentRuntimeServiceService, optionsOf('agent-runtime')),
      topology: createRpcClient(TopologyServiceService, optionsOf('topology')),
    };
  }

  get calls(): number {
    return this.#calls;
  }

  get accepted(): number {
    return this.#posted.size + this.#sent.size;
  }

  async prepare(): Promise<void> {
    for (let pair = 0; pair < pairCount; pair += 1)
      this.#people.push(await this.#stack.people.newFriends());
  }

  async run(): Promise<void> {
    const everybody = this.#people.flatMap(([one, other]) => [
      [one, other] as const,
      [other, one] as const,
    ]);
    await Promise.all(everybody.map(([person, friend]) => this.#makeCalls(person, friend)));
    for (const client of Object.values(this.#clients)) client.close();
  }

  /** Waits until people have made `callsPerReplacement` more calls each, on average. */
  async untilMoreCalls(): Promise<void> {
    const targetCalls = this.#calls + callsPerReplacement * 2 * pairCount;
    while (this.#calls < targetCalls) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Lists accepted messages that were not delivered, are not in the history exactly once, or became dead letters. */
  async findFaults(): Promise<string[]> {
    const faults = await this.#settle();
    await whenDrained(this.#stack, settleWithinMs);
    const agentOf = new Map<Person, string>();
    for (const { person, agentId } of this.#posted.values()) agentOf.set(person, agentId);
    const historyTexts = new Map<Person, string>();
    for (const [person, agentId] of agentOf)
      historyTexts.set(person, await this.#readTexts(person, agentId, faults));
    const expected = [
      ...[...this.#posted].map(([text, { person }]) => ({ text, reader: person })),
      ...[...this.#sent].map(([text, { friend }]) => ({ text, reader: friend })),
    ];
    for (const { text, reader } of expected) {
      const times = (historyTexts.get(reader) ?? '').split(text).length - 1;
      if (times !== 1)
        faults.push(`"${text}" occurs ${times} times in the history of ${reader.id}`);
    }
    return faults;
  }

  /** Waits until every message to a friend is delivered or abandoned; resolves with the abandoned ones. */
  async #settle(): Promise<string[]> {
    const faults: string[] = [];
    for (const { messageId, person } of this.#sent.values()) {
      const settled = await eventually(
        async () => {
          const { status } = await this.#stack.graph.getMessageStatus({ messageId }, person.as);
          return status === MessageStatus.ACCEPTED ? undefined : { status };
        },
        { timeoutMs: settleWithinMs },
      );
      if (settled.status !== MessageStatus.DELIVERED)
        faults.push(`message ${messageId} was abandoned`);
    }
    return faults;
  }

  /** Returns the text of all messages to an agent; adds a fault if the agent has dead letters. */
  async #readTexts(person: Person, agentId: string, faults: string[]): Promise<string> {
    const { runtime } = this.#stack;
    const page = { agentId, pageSize: 10, pageToken: '' };
    const { deadLetters } = await runtime.listDeadLetters(page, person.as);
    if (deadLetters.length > 0) faults.push(`agent ${agentId} has dead letters`);
    const records = await historyOf(runtime, person, agentId);
    return records
      .filter(({ record }) => record?.$case === 'userMessage')
      .map(summaryOf)
      .join('\n');
  }

  async #makeCalls(person: Person, friend: Person): Promise<void> {
    const { identity, gateway, graph, runtime, topology } = this.#clients;
    const { as, id } = person;
    const page = { pageSize: 10, pageToken: '' };
    const calls: Record<string, () => Promise<unknown>> = {
      GetUser: () => identity.getUser({ userId: id }, as),
      'GetUser through the gateway': () => gateway.getUser({ userId: id }, as),
      SendFriendMessage: async () => {
        const [requestId, message] = [createId(), createId()];
        const request = { requestId, nametag: friend.nametag, message };
        const { messageId } = await graph.sendFriendMessage(request, as);
        this.#sent.set(message, { person, friend, messageId });
      },
      PostMessage: async () => {
        const text = createId();
        const { agentId } = await runtime.postMessage(post(text), as);
        this.#posted.set(text, { person, agentId });
      },
      ListFriends: () => graph.listFriends({ ...page, includeNames: true }, as),
      ListSignals: () =>
        topology.listSignals({ ...page, pattern: '', state: SignalState.UNSPECIFIED }, as),
    };
    while (!this.#isOver)
      for (const [name, call] of Object.entries(calls)) {
        this.#calls += 1;
        await call().catch((error: unknown) => this.failures.push(`${name}: ${String(error)}`));
      }
  }
}
