import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import { findWorkspaceRoot, serviceNames, type AppName } from '@daycare/local-stack';
import { createRpcClient } from '@daycare/rpc';
import { whenDrained } from '../../support/load/message-storm';
import { post } from '../../support/people/history';
import type { Person } from '../../support/people/people';
import { startStack, type Stack } from '../../support/stack/stack';

const pairCount = 5;
/** Calls on each state of the upgrade, by every person. */
const callsBetween = 20;

/**
 * Replaces the services of another build by those of this one, replica by replica in the order of docs/deploy.md, while
 * people call all of them. `from` is the folder `dist` of the other build. Every failed call is printed.
 */
export async function soakUpgrade(from: string, say: (line: string) => void): Promise<number> {
  const upgraded = new Set<AppName>();
  const current = join(findWorkspaceRoot(__dirname), 'dist');
  const stack = await startStack({
    ownServers: true,
    replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
    knowAllReplicas: true,
    bundleOf: (name) => join(upgraded.has(name) ? current : from, name, 'main.js'),
  });
  try {
    const load = new Load(stack);
    await load.prepare();
    const running = load.run();
    await load.whenMore();
    for (const name of serviceNames) {
      upgraded.add(name);
      for (const replica of [0, 1]) {
        await stack.service(name, replica).restart();
        await load.whenMore();
        say(`${name} ${replica} replaced: ${load.calls} calls, ${load.failures.length} failed`);
      }
    }
    load.stop();
    await running;
    await whenDrained(stack, 120_000);
    for (const failure of new Set(load.failures)) say(`FAILED: ${failure}`);
    say(`${load.calls} calls, ${load.failures.length} failed; everything was delivered.`);
    return load.failures.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

/** Friends who write to each other and to their agents, and read, through all replicas. */
class Load {
  readonly failures: string[] = [];
  readonly #stack: Stack;
  readonly #clients;
  #people: (readonly [Person, Person])[] = [];
  #calls = 0;
  #isOver = false;

  constructor(stack: Stack) {
    this.#stack = stack;
    const at = (name: (typeof serviceNames)[number]) => ({
      address: `ipv4:${[0, 1].map((replica) => stack.addressOf(name, replica)).join(',')}`,
      timeoutMs: 10_000,
    });
    this.#clients = {
      identity: createRpcClient(IdentityServiceService, at('identity')),
      graph: createRpcClient(SocialGraphServiceService, at('social-graph')),
      runtime: createRpcClient(AgentRuntimeServiceService, at('agent-runtime')),
      topology: createRpcClient(TopologyServiceService, at('topology')),
    };
  }

  get calls(): number {
    return this.#calls;
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
    await Promise.all(everybody.map(([person, friend]) => this.#talk(person, friend)));
    for (const client of Object.values(this.#clients)) client.close();
  }

  /** Until everybody has made some more calls. */
  async whenMore(): Promise<void> {
    const enough = this.#calls + callsBetween * 2 * pairCount;
    while (this.#calls < enough) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #talk({ as, id }: Person, { nametag }: Person): Promise<void> {
    const { identity, graph, runtime, topology } = this.#clients;
    const page = { pageSize: 10, pageToken: '' };
    const calls: Record<string, () => Promise<unknown>> = {
      GetUser: () => identity.getUser({ userId: id }, as),
      SendFriendMessage: () =>
        graph.sendFriendMessage({ requestId: createId(), nametag, message: 'Hello' }, as),
      PostMessage: () => runtime.postMessage(post('Hello'), as),
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
