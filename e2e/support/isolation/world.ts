import { createId } from '@daycare/api/create-id';
import { PermissionDecision } from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import type { Actor } from '../people/agents';
import { post } from '../people/history';
import type { Stack } from '../stack/stack';
import { upload } from '../people/files';
import { silentGateway } from '../stack/silent-gateway';
import type { AttackerResources, Resources } from './attempts';
import type { Person } from '../people/people';

/** A caller that attempts to reach another user's data, in person or through an agent. */
export interface Attacker extends AttackerResources {
  readonly title: string;
  readonly as: CallOptions;
}

/** A user who has one resource of every kind, and other callers, who may see none of them. */
export interface World {
  readonly resources: Resources;
  /** A word that occurs in everything that the user has written. */
  readonly secret: string;
  readonly attackers: readonly Attacker[];
}

/** Ids and names of resources that do not exist. */
export function absentResources(): Resources {
  return {
    userId: createId(),
    agentId: createId(),
    subuserId: createId(),
    subuserNametag: `nobody${Date.now()}`,
    gatewayId: createId(),
    messageId: createId(),
    fileId: createId(),
    permissionRequestId: createId(),
    grantId: createId(),
    deadLetterId: createId(),
    cronId: createId(),
    heartbeatId: createId(),
    channelName: `none-${createId()}`,
    pattern: `none:${createId()}`,
    endpointId: createId(),
    // As long as a real one, because a response may depend on the length.
    nodeId: 'f'.repeat(40),
    path: `home/${createId()}.txt`,
    skillName: createId(),
    accessTokenId: createId(),
  };
}

export async function createWorld(stack: Stack): Promise<World> {
  const secret = `marzipan-${createId()}`;
  const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => stack.people.newPerson()));
  await stack.people.befriend(ada!, bob!);
  const builder = new WorldBuilder(stack, ada!, secret);
  const resources = await builder.createResources(bob!);
  const sibling = await builder.createSubuser('sibling');
  const attackers = [
    ...(await strangers(stack, eve!)),
    ...(await friendWithShare(stack, builder, ada!, bob!)),
    { title: 'another subuser of the same owner', ...(await asSubuser(stack, sibling)) },
    { title: 'a token bound to another subuser', ...(await asBoundToken(stack, ada!, sibling)) },
  ];
  return { resources, secret, attackers };
}

async function strangers({ people, agents }: Stack, eve: Person): Promise<Attacker[]> {
  const fred = await people.newPerson();
  await people.befriend(eve, fred);
  const agent = await agents.foreground(eve);
  const own = { friendNametag: fred.nametag, agentId: agent.id };
  const gateway = await agents.gateway(await people.newSubuser(eve));
  return [
    { title: 'a stranger', as: eve.as, ...own },
    { title: 'a stranger’s agent', as: agent.as, ...own },
    {
      title: 'the gateway of a stranger’s subuser',
      as: gateway.as,
      friendNametag: fred.nametag,
      agentId: gateway.id,
    },
  ];
}

async function friendWithShare(
  { people, agents }: Stack,
  builder: WorldBuilder,
  ada: Person,
  bob: Person,
): Promise<Attacker[]> {
  const shared = await builder.createSubuser('shared');
  const user = { ...bob, id: shared.subuserId, nametag: shared.nametag };
  await people.share(ada, bob, user);
  await people.acceptShare(bob, user);
  const agent = await agents.foreground(bob);
  const own = { friendNametag: ada.nametag, agentId: agent.id };
  return [
    { title: 'the agent of a friend with whom another subuser is shared', as: agent.as, ...own },
  ];
}

async function asSubuser({ people }: Stack, { subuserId, gatewayAgentId }: CreatedSubuser) {
  const as = await people.signIn(subuserId, gatewayAgentId);
  return { as, friendNametag: 'nobody1', agentId: gatewayAgentId };
}

/** Creates a personal access token of Ada's own that acts as one of her subusers. */
async function asBoundToken(
  { people }: Stack,
  ada: Person,
  { subuserId, gatewayAgentId }: CreatedSubuser,
) {
  const token = { scopes: ['agents:read', 'agents:talk'], subuserId };
  const { as } = await people.newAccessToken(ada, token);
  return { as, friendNametag: 'nobody1', agentId: gatewayAgentId };
}

interface CreatedSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
  readonly nametag: string;
}

/** Creates one resource of every kind, with tools where possible. */
export class WorldBuilder {
  constructor(
    private readonly stack: Stack,
    private readonly ada: Person,
    private readonly secret: string,
  ) {}

  async createResources(friend: Person): Promise<Resources> {
    const agent = await this.#newAgent();
    const { subuserId, gatewayAgentId, nametag } = await this.createSubuser(
      `helper ${this.secret}`,
    );
    const agentResources = await this.createAgentResources(agent);
    return {
      ...agentResources,
      ...(await this.#makeRecords(agent, friend)),
      userId: this.ada.id,
      agentId: agent.id,
      subuserId,
      subuserNametag: nametag,
      gatewayId: gatewayAgentId,
    };
  }

  async createSubuser(name: string): Promise<CreatedSubuser> {
    const systemPrompt = `Keep ${this.secret}`;
    const spec = { name, systemPrompt, description: name };
    return (await this.#run(
      await this.#newAgent(),
      'subuser_create',
      spec,
    )) as unknown as CreatedSubuser;
  }

  async #newAgent(): Promise<Actor> {
    const agent = await this.stack.agents.foreground(this.ada);
    await this.stack.runtime.postMessage(post(`I like ${this.secret}`), this.ada.as);
    return agent;
  }

  #run({ id }: Actor, name: string, args: object): Promise<Record<string, string>> {
    return this.stack.agents.callTool({ id, as: this.ada.as }, name, args);
  }

  /** Has the agent create schedules, memory, files, signals, a channel and an endpoint. */
  async createAgentResources(agent: Actor) {
    const { secret } = this;
    const prompt = `Think of ${secret}`;
    const yearly = { name: secret, schedule: '0 0 1 1 *', prompt };
    const channelName = `ops-${createId()}`;
    const pattern = `build:${createId()}`;
    const path = `home/${secret}.txt`;
    const skillName = `skill-${createId()}`;
    const skill = `---\nname: x\ndescription: ${secret}\n---\n\n${secret}\n`;
    const cron = await this.#run(agent, 'cron_add', yearly);
    const heartbeat = await this.#run(agent, 'heartbeat_add', { title: secret, prompt });
    const node = await this.#run(agent, 'memory_write', { title: secret, content: secret });
    await this.#run(agent, 'file_write', { path, content: secret });
    await this.#run(agent, 'file_write', { path: `skills/${skillName}.md`, content: skill });
    await this.#run(agent, 'signal_subscribe', { pattern });
    await this.#run(agent, 'emit_signal', { type: pattern, data: { secret } });
    await this.#run(agent, 'channel_create', { name: channelName });
    await this.#run(agent, 'channel_send', { channel: channelName, message: secret });
    const endpoint = await this.#run(agent, 'expose_create', {
      name: secret,
      target: `agent:${agent.id}`,
      mode: 'public',
      auth: 'password',
    });
    return {
      cronId: cron['cronId']!,
      heartbeatId: heartbeat['heartbeatId']!,
      nodeId: node['nodeId']!,
      endpointId: endpoint['endpointId']!,
      channelName,
      pattern,
      path,
      skillName,
    };
  }

  async #makeGrant(agent: Actor): Promise<string> {
    const { ada, secret } = this;
    const { runtime } = this.stack;
    const request = { permission: secret, reason: secret };
    const { permissionRequestId = '' } = await this.#run(agent, 'request_permission', request);
    const decision = PermissionDecision.GRANT;
    await runtime.decidePermission(
      { requestId: createId(), permissionRequestId, decision },
      ada.as,
    );
    const { grants } = await runtime.listGrants(
      { pageSize: 0, pageToken: '', agentId: agent.id },
      ada.as,
    );
    return grants[0]!.id;
  }

  /** Creates a message, an upload, a permission request, a grant, an access token and a dead letter. */
  async #makeRecords(agent: Actor, friend: Person) {
    const { ada, secret } = this;
    const { people, runtime, graph } = this.stack;
    const message = { requestId: createId(), nametag: friend.nametag, message: secret };
    const { messageId } = await graph.sendFriendMessage(message, ada.as);
    const { file } = await upload(runtime, ada, `${secret}.txt`, Buffer.from(secret));
    await this.#run(agent, 'request_permission', { permission: 'network', reason: secret });
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    const { permissionRequests } = await runtime.listPermissionRequests(
      { ...all, states: [] },
      ada.as,
    );
    const grantId = await this.#makeGrant(agent);
    const { tokenId } = await people.newAccessToken(ada, { name: secret });
    return {
      messageId,
      grantId,
      accessTokenId: tokenId,
      fileId: file!.id,
      permissionRequestId: permissionRequests[0]!.id,
      deadLetterId: await this.#makeDeadLetter(friend),
    };
  }

  /** Creates a dead letter: sends a message to a subuser whose gateway refuses it. */
  async #makeDeadLetter(friend: Person): Promise<string> {
    const { ada, secret } = this;
    const { people, runtime } = this.stack;
    const silent = await people.newSubuser(ada);
    await silentGateway(this.stack, silent);
    await people.share(ada, friend, silent);
    await people.acceptShare(friend, silent);
    await people.message(friend, silent, secret);
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    const deadLetter = await eventually(
      async () => (await runtime.listDeadLetters(all, ada.as)).deadLetters[0],
    );
    return deadLetter.id;
  }
}
