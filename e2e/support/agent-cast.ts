import { createId } from '@paralleldrive/cuid2';
import { basicAuthorization, ServiceCredential } from '@daycare/auth';
import type { Descriptor } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import type { TestStack } from '@daycare/testing';
import { post, type AgentStack, type Runtime } from './agent-stack';
import type { Person } from './people';
import type { Graph } from './social-stack';

/** An agent with the credentials to call as it. */
export interface Actor {
  readonly id: string;
  readonly userId: string;
  readonly as: CallOptions;
}

/** Makes agents of every kind and what is between their users. Close it before the stack stops. */
export class AgentCast {
  readonly #agents: AgentStack;
  readonly #topology: ServiceCredential;

  private constructor(
    agents: AgentStack,
    readonly graph: Graph,
    topology: ServiceCredential,
  ) {
    this.#agents = agents;
    this.#topology = topology;
  }

  static async open(agents: AgentStack): Promise<AgentCast> {
    const address = agents.stack.addressOf('social-graph');
    const graph = createRpcClient(SocialGraphServiceService, { address, timeoutMs: 10_000 });
    return new AgentCast(agents, graph, await topologyCredential(agents.stack));
  }

  get runtime(): Runtime {
    return this.#agents.runtimes[0]!;
  }

  /** What topology calls agent-runtime with. */
  async asTopology(): Promise<CallOptions> {
    return { metadata: await this.#topology.metadata('agent-runtime') };
  }

  /** The agent of a channel, which has been written to and has answered. */
  async foreground({ id: userId, as }: Person, channelId = 'desk'): Promise<Actor> {
    const { agentId } = await this.runtime.postMessage(post('hello', channelId), as);
    return this.#actor(agentId, userId);
  }

  async gateway({ id: userId }: User): Promise<Actor> {
    return this.ensure(userId, {
      $case: 'subuser',
      value: { id: userId, name: 'Helper', systemPrompt: '' },
    });
  }

  async permanent({ id: userId }: User): Promise<Actor> {
    const value = { id: createId(), name: 'Keeper', description: '', systemPrompt: '' };
    return this.ensure(userId, { $case: 'permanent', value });
  }

  async ensure(userId: string, kind: NonNullable<Descriptor['kind']>): Promise<Actor> {
    const request = { requestId: createId(), userId, descriptor: { kind } };
    const { agent } = await this.runtime.ensureAgent(request, await this.asTopology());
    return this.#actor(agent!.id, userId);
  }

  async befriend(one: Person, other: Person): Promise<void> {
    await this.graph.addFriend({ requestId: createId(), nametag: other.nametag }, one.as);
    await this.graph.addFriend({ requestId: createId(), nametag: one.nametag }, other.as);
  }

  async tell(from: Person, { nametag }: User, message: string): Promise<void> {
    await this.graph.sendFriendMessage({ requestId: createId(), nametag, message }, from.as);
  }

  async share(owner: Person, { nametag: friendNametag }: Person, { id }: User): Promise<void> {
    const request = { requestId: createId(), friendNametag, subuserId: id };
    await this.graph.shareSubuser(request, owner.as);
  }

  /** Takes up the offer of a subuser. */
  async accept(friend: Person, { nametag }: User): Promise<void> {
    await this.graph.addFriend({ requestId: createId(), nametag }, friend.as);
  }

  async unshare(owner: Person, { nametag: friendNametag }: Person, { id }: User): Promise<void> {
    const request = { requestId: createId(), friendNametag, subuserId: id };
    await this.graph.unshareSubuser(request, owner.as);
  }

  close(): void {
    this.graph.close();
  }

  async #actor(id: string, userId: string): Promise<Actor> {
    return { id, userId, as: await this.#agents.people.signIn(userId, id) };
  }
}

async function topologyCredential(stack: TestStack): Promise<ServiceCredential> {
  const address = stack.addressOf('identity');
  const identity = createRpcClient(IdentityServiceService, { address });
  const authorization = basicAuthorization('topology', stack.credentials.services.topology);
  const credential = await ServiceCredential.create({
    service: 'topology',
    onFailure: (error) => {
      throw error;
    },
    requestToken: async (publicKey) => {
      const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(publicKey) };
      const { tokens } = await identity.issueToken(request, { metadata: { authorization } });
      return { token: tokens!.accessToken, expiresAt: tokens!.accessExpiresAt! };
    },
  });
  await credential.start();
  credential.stop();
  identity.close();
  return credential;
}
