import { createId } from '@paralleldrive/cuid2';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import type { Actor, AgentCast } from './agent-cast';
import { upload } from './agent-files';
import { post, type AgentStack } from './agent-stack';
import type { Own, Things } from './isolation-attempts';
import type { Person } from './people';

/** Somebody who tries, by what it calls with and with an agent of its own. */
export interface Attacker extends Own {
  readonly title: string;
  readonly as: CallOptions;
}

/** A user who has one of everything, and others who may see none of it. */
export interface World {
  readonly things: Things;
  /** In every text that there is of the user. */
  readonly secret: string;
  readonly attackers: readonly Attacker[];
}

/** The same of what does not exist. */
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
    deadLetterId: createId(),
    cronId: createId(),
    heartbeatId: createId(),
    channelName: `none-${createId()}`,
    pattern: `none:${createId()}`,
    endpointId: createId(),
    // As long as the other: lengths are part of an answer.
    nodeId: 'f'.repeat(40),
    path: `home/${createId()}.txt`,
    skillName: createId(),
  };
}

export async function makeWorld(agents: AgentStack, cast: AgentCast): Promise<World> {
  const secret = `marzipan-${createId()}`;
  const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => agents.people.newPerson()));
  await cast.befriend(ada!, bob!);
  const maker = new Maker(agents, cast, ada!, secret);
  const things = await maker.makeThings(bob!);
  const siblings = await maker.makeSubuser('sibling');
  const attackers = [
    ...(await strangers(agents, cast, eve!)),
    ...(await friendWithShare(cast, maker, ada!, bob!)),
    { title: 'another subuser of the same owner', ...(await asSubuser(agents, siblings)) },
  ];
  return { things, secret, attackers };
}

async function strangers(
  { people }: AgentStack,
  cast: AgentCast,
  eve: Person,
): Promise<Attacker[]> {
  const fred = await people.newPerson();
  await cast.befriend(eve, fred);
  const agent = await cast.foreground(eve);
  const own = { friendNametag: fred.nametag, agentId: agent.id };
  const gateway = await cast.gateway(await people.newSubuser(eve));
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
  cast: AgentCast,
  maker: Maker,
  ada: Person,
  bob: Person,
): Promise<Attacker[]> {
  const shared = await maker.makeSubuser('shared');
  const user = { ...bob, id: shared.subuserId, nametag: shared.nametag };
  await cast.share(ada, bob, user);
  await cast.accept(bob, user);
  const agent = await cast.foreground(bob);
  const own = { friendNametag: ada.nametag, agentId: agent.id };
  return [{ title: 'a friend with whom another subuser is shared', as: agent.as, ...own }];
}

async function asSubuser({ people }: AgentStack, { subuserId, gatewayAgentId }: MadeSubuser) {
  const as = await people.signIn(subuserId, gatewayAgentId);
  return { as, friendNametag: 'nobody1', agentId: gatewayAgentId };
}

interface MadeSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
  readonly nametag: string;
}

type Answer = Readonly<Record<string, string>>;

/** Makes one of everything, by tools where there are any. */
class Maker {
  constructor(
    private readonly agents: AgentStack,
    private readonly cast: AgentCast,
    private readonly ada: Person,
    private readonly secret: string,
  ) {}

  async makeThings(friend: Person): Promise<Things> {
    const agent = await this.#newAgent();
    const { subuserId, gatewayAgentId, nametag } = await this.makeSubuser(`helper ${this.secret}`);
    const wired = await this.#makeWiring(agent);
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

  async makeSubuser(name: string): Promise<MadeSubuser> {
    const systemPrompt = `Keep ${this.secret}`;
    const wish = { name, systemPrompt, description: name };
    return (await this.#run(
      await this.#newAgent(),
      'subuser_create',
      wish,
    )) as unknown as MadeSubuser;
  }

  async #newAgent(): Promise<Actor> {
    const agent = await this.cast.foreground(this.ada);
    await this.cast.runtime.postMessage(post(`I like ${this.secret}`), this.ada.as);
    return agent;
  }

  async #run({ id: agentId }: Actor, name: string, args: object): Promise<Answer> {
    const request = { requestId: createId(), agentId, name, argumentsJson: JSON.stringify(args) };
    const { resultJson } = await this.cast.runtime.callTool(request, this.ada.as);
    return JSON.parse(resultJson) as Answer;
  }

  /** What the agents of the user are wired with. */
  async #makeWiring(agent: Actor) {
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

  /** What was said, asked and stored. */
  async #makeRecords(agent: Actor, friend: Person) {
    const { cast, ada, secret } = this;
    const { runtime, graph } = cast;
    const to = { requestId: createId(), nametag: friend.nametag, message: secret };
    const { messageId } = await graph.sendFriendMessage(to, ada.as);
    const { file } = await upload(runtime, ada, `${secret}.txt`, Buffer.from(secret));
    await this.#run(agent, 'request_permission', { permission: 'network', reason: secret });
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    const { permissionRequests } = await runtime.listPermissionRequests(
      { ...all, states: [] },
      ada.as,
    );
    return {
      messageId,
      fileId: file!.id,
      permissionRequestId: permissionRequests[0]!.id,
      deadLetterId: await this.#makeDeadLetter(friend),
    };
  }

  /** A message to a subuser that has no gateway yet. */
  async #makeDeadLetter(friend: Person): Promise<string> {
    const { agents, cast, ada, secret } = this;
    const silent = await agents.people.newSubuser(ada);
    await cast.share(ada, friend, silent);
    await cast.accept(friend, silent);
    await cast.tell(friend, silent, secret);
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    const letter = await eventually(
      async () => (await cast.runtime.listDeadLetters(all, ada.as)).deadLetters[0],
      { timeoutMs: 20_000 },
    );
    return letter.id;
  }
}
