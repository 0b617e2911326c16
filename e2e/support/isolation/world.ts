import { createId } from '@daycare/api/create-id';
import { PermissionDecision } from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import type { Actor } from '../people/agents';
import { post } from '../people/history';
import type { Stack } from '../stack/stack';
import { upload } from '../people/files';
import { silentGateway } from '../stack/silent-gateway';
import type { Own, Things } from './attempts';
import type { Person } from '../people/people';

/** A user who attempts to reach foreign data through its own agent. */
export interface Attacker extends Own {
  readonly title: string;
  readonly as: CallOptions;
}

/** A user who has one of every resource, and others who may see none of them. */
export interface World {
  readonly things: Things;
  /** Part of every text of the user. */
  readonly secret: string;
  readonly attackers: readonly Attacker[];
}

/** Ids and names of resources that do not exist. */
export function absentThings(): Things {
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
    // As long as a real one: lengths are part of an answer.
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
  const maker = new WorldBuilder(stack, ada!, secret);
  const things = await maker.createThings(bob!);
  const siblings = await maker.createSubuser('sibling');
  const attackers = [
    ...(await strangers(stack, eve!)),
    ...(await friendWithShare(stack, maker, ada!, bob!)),
    { title: 'another subuser of the same owner', ...(await asSubuser(stack, siblings)) },
    { title: 'a token bound to another subuser', ...(await asToken(stack, ada!, siblings)) },
  ];
  return { things, secret, attackers };
}

async function strangers({ people, agents }: Stack, eve: Person): Promise<Attacker[]> {
  const fred = await people.newPerson();
  await people.befriend(eve, fred);
  const agent = await agents.foreground(eve);
  const own = { friendNametag: fred.nametag, agentId: agent.id };
  const gateway = await agents.gateway(await people.newSubuser(eve));
  return [
    { title: 'a stranger', as: eve.as, ...own },
    { title: 'an agent of a stranger', as: agent.as, ...own },
    {
      title: 'an agent of a subuser of a stranger',
      as: gateway.as,
      friendNametag: fred.nametag,
      agentId: gateway.id,
    },
  ];
}

async function friendWithShare(
  { people, agents }: Stack,
  maker: WorldBuilder,
  ada: Person,
  bob: Person,
): Promise<Attacker[]> {
  const shared = await maker.createSubuser('shared');
  const user = { ...bob, id: shared.subuserId, nametag: shared.nametag };
  await people.share(ada, bob, user);
  await people.acceptShare(bob, user);
  const agent = await agents.foreground(bob);
  const own = { friendNametag: ada.nametag, agentId: agent.id };
  return [{ title: 'a friend with whom another subuser is shared', as: agent.as, ...own }];
}

async function asSubuser({ people }: Stack, { subuserId, gatewayAgentId }: CreatedSubuser) {
  const as = await people.signIn(subuserId, gatewayAgentId);
  return { as, friendNametag: 'nobody1', agentId: gatewayAgentId };
}

/** A personal access token of the user itself that acts as one of its subusers. */
async function asToken(
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

/** Creates one of every resource, with tools where possible. */
export class WorldBuilder {
  constructor(
    private readonly stack: Stack,
    private readonly ada: Person,
    private readonly secret: string,
  ) {}

  async createThings(friend: Person): Promise<Things> {
    const agent = await this.#newAgent();
    const { subuserId, gatewayAgentId, nametag } = await this.createSubuser(
      `helper ${this.secret}`,
    );
    const wired = await this.createWiring(agent);
    return {
      ...wired,
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

  /** Schedules, memory, files, signals, channels and endpoints. */
  async createWiring(agent: Actor) {
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
      ...{ name: secret, target: `agent:${agent.id}`, mode: 'public', auth: 'password' },
    });
    return {
      cronId: cron['cronId']!,
      heartbeatId: heartbeat['heartbeatId']!,
      nodeId: node['nodeId']!,
      endpointId: endpoint['endpointId']!,
      ...{ channelName, pattern, path, skillName },
    };
  }

  async #makeGrant(agent: Actor): Promise<string> {
    const { ada, secret } = this;
    const { runtime } = this.stack;
    const asked = { permission: secret, reason: secret };
    const { permissionRequestId = '' } = await this.#run(agent, 'request_permission', asked);
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

  /** Messages, uploads, permission requests and dead letters. */
  async #makeRecords(agent: Actor, friend: Person) {
    const { ada, secret } = this;
    const { people, runtime, graph } = this.stack;
    const to = { requestId: createId(), nametag: friend.nametag, message: secret };
    const { messageId } = await graph.sendFriendMessage(to, ada.as);
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

  /** A message to a subuser whose gateway refuses it. */
  async #makeDeadLetter(friend: Person): Promise<string> {
    const { ada, secret } = this;
    const { people, runtime } = this.stack;
    const silent = await people.newSubuser(ada);
    await silentGateway(this.stack, silent);
    await people.share(ada, friend, silent);
    await people.acceptShare(friend, silent);
    await people.message(friend, silent, secret);
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    const letter = await eventually(
      async () => (await runtime.listDeadLetters(all, ada.as)).deadLetters[0],
    );
    return letter.id;
  }
}
