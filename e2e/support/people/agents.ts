import { createId } from '@daycare/api/create-id';
import type { ServiceCredential } from '@daycare/auth';
import type { Descriptor } from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import type { CallOptions } from '@daycare/rpc';
import type { TestStack } from '@daycare/testing';
import type { Clients } from '../clients/clients';
import { post } from './history';
import type { People, Person } from './people';
import { issueServiceCredential } from './service-credential';

/** An agent, and the credentials to make calls as this agent. */
export interface Actor {
  readonly id: string;
  readonly userId: string;
  readonly as: CallOptions;
}

/** Creates agents of any kind, and makes calls as them. */
export class Agents {
  #topology: Promise<ServiceCredential> | undefined;

  constructor(
    private readonly stack: TestStack,
    private readonly clients: Clients,
    private readonly people: People,
  ) {}

  /** Returns topology's credentials for calls to agent-runtime. */
  async asTopology(): Promise<CallOptions> {
    const { stack, clients } = this;
    this.#topology ??= issueServiceCredential(stack, clients.identity, 'topology');
    return { metadataFor: (await this.#topology).metadata('agent-runtime') };
  }

  /** Posts a message to a channel, which creates the channel's agent if there is none; returns the agent. */
  async foreground({ id: userId, as }: Person, channelId = 'desk'): Promise<Actor> {
    const { agentId } = await this.clients.runtime.postMessage(post('hello', channelId), as);
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
    const { agent } = await this.clients.runtime.ensureAgent(request, await this.asTopology());
    return this.#actor(agent!.id, userId);
  }

  /** Has an agent call a tool; resolves with the result. */
  async callTool(
    { id: agentId, as }: Pick<Actor, 'id' | 'as'>,
    name: string,
    args: object,
    requestId = createId(),
  ): Promise<Record<string, string>> {
    const request = { requestId, agentId, name, argumentsJson: JSON.stringify(args) };
    const { resultJson } = await this.clients.runtime.callTool(request, as);
    return JSON.parse(resultJson) as Record<string, string>;
  }

  async #actor(id: string, userId: string): Promise<Actor> {
    return { id, userId, as: await this.people.signIn(userId, id) };
  }
}
