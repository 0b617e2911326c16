import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { AgentCast } from './support/agent-cast';
import { historyOf, post, startAgentStack, type AgentStack } from './support/agent-stack';
import type { Person } from './support/people';

let agents: AgentStack;
let cast: AgentCast;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 2 });
  cast = await AgentCast.open(agents);
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

/** A person who does everything by telling its agent. */
class Storyteller {
  private constructor(
    readonly person: Person,
    readonly agentId: string,
  ) {}

  static async begin(): Promise<Storyteller> {
    const person = await agents.people.newPerson();
    const { id } = await cast.foreground(person);
    const teller = new Storyteller(person, id);
    await teller.heard(1);
    return teller;
  }

  get nametag(): string {
    return this.person.nametag;
  }

  /** Has the agent run a tool and gives what came of it, as the history has it. */
  async run(tool: string, args: object): Promise<Record<string, unknown>> {
    const text = `/${tool} ${JSON.stringify(args)}`;
    const { afterSequence } = await cast.runtime.postMessage(post(text), this.person.as);
    const result = await this.#when((record, sequence) =>
      sequence > afterSequence && record?.$case === 'toolResult' && record.value.toolName === tool
        ? record.value.resultJson
        : undefined,
    );
    await this.#answered(afterSequence);
    return JSON.parse(result) as Record<string, unknown>;
  }

  /** Everything that reached the agent but the person's own words, once there are so many messages. */
  async heard(count: number): Promise<string[]> {
    const records = await eventually(async () => {
      const all = await this.history();
      return all.filter(({ record }) => record?.$case === 'userMessage').length >= count && all;
    });
    return records.flatMap(({ record }) =>
      record?.$case === 'userMessage' && record.value.origin !== ''
        ? [`${record.value.origin}: ${record.value.text}`]
        : [],
    );
  }

  history(): Promise<HistoryRecord[]> {
    return historyOf(cast.runtime, this.person, this.agentId);
  }

  async #answered(afterSequence: number): Promise<void> {
    await this.#when((record, sequence) =>
      sequence > afterSequence && record?.$case === 'assistantMessage' && record.value.text !== ''
        ? true
        : undefined,
    );
  }

  async #when<T>(
    find: (record: HistoryRecord['record'], sequence: number) => T | undefined,
  ): Promise<T> {
    return eventually(async () => {
      for (const { record, sequence } of await this.history()) {
        const found = find(record, sequence);
        if (found !== undefined) return found as Exclude<T, false | undefined>;
      }
      return undefined;
    });
  }
}

const about = (nametag: string, ...words: string[]) =>
  expect.stringMatching(new RegExp(`^friend:${nametag}: .*${words.join('.*')}`, 's'));

describe('two people and a shared subuser, through nothing but their agents’ tools', () => {
  it('become friends, talk, share, use the gateway, revoke and part', async () => {
    const [ada, bob] = await Promise.all([Storyteller.begin(), Storyteller.begin()]);

    expect(await ada.run('friend_add', { nametag: bob.nametag })).toEqual({
      summary: `Friend request sent to ${bob.nametag}`,
      status: 'pending_out',
      nametag: bob.nametag,
    });
    await bob.heard(2);
    expect(await bob.run('friend_add', { nametag: ada.nametag })).toMatchObject({
      status: 'friends',
    });
    await ada.heard(3);
    const sent = await ada.run('friend_send', { nametag: bob.nametag, message: 'Hi, Bob' });
    expect(sent).toMatchObject({ summary: `Message sent to ${bob.nametag}`, nametag: bob.nametag });
    await bob.heard(4);

    const created = await ada.run('subuser_create', {
      name: 'helper',
      systemPrompt: 'You help.',
      description: 'Helps',
    });
    const {
      subuserId,
      gatewayAgentId: gateway,
      nametag: helper,
    } = created as Record<string, string>;
    expect(created).toMatchObject({ name: 'helper' });
    const share = { friendNametag: bob.nametag, subuserId };
    expect(await ada.run('friend_share_subuser', share)).toMatchObject({ status: 'pending' });
    await bob.heard(5);
    expect(await bob.run('friend_add', { nametag: helper })).toMatchObject({ status: 'active' });
    await ada.heard(7);

    const question = { agentId: gateway, text: 'Are you there?' };
    expect(await bob.run('send_agent_message', question)).toMatchObject({ agentId: gateway });
    const reply = JSON.stringify({ agentId: bob.agentId, text: 'At your service' });
    const order = { agentId: gateway, text: `/send_agent_message ${reply}` };
    await ada.run('send_agent_message', order);
    await bob.heard(8);

    expect(await ada.run('friend_unshare_subuser', share)).toMatchObject({ status: 'removed' });
    await bob.heard(9);
    expect(await bob.run('send_agent_message', question)).toMatchObject({
      error: { code: 'PERMISSION_DENIED' },
    });
    expect(await ada.run('friend_remove', { nametag: bob.nametag })).toMatchObject({
      status: 'removed',
    });

    expect(await bob.heard(11)).toEqual([
      about(ada.nametag, 'friend_add'),
      `friend:${ada.nametag}: Hi, Bob`,
      about(ada.nametag, 'helper', helper!),
      `${gateway}: At your service`,
      about(ada.nametag, helper!),
      about(ada.nametag, ''),
    ]);
    expect(await ada.heard(10)).toEqual([about(bob.nametag, ''), about(bob.nametag, helper!)]);
  }, 60_000);
});

describe('an agent of a subuser', () => {
  const friendTools = [
    ['friend_add', { nametag: 'otter7' }],
    ['friend_remove', { nametag: 'otter7' }],
    ['friend_send', { nametag: 'otter7', message: 'hi' }],
    ['friend_share_subuser', { friendNametag: 'otter7', subuserId: 'abc123' }],
    ['friend_unshare_subuser', { friendNametag: 'otter7', subuserId: 'abc123' }],
    ['friend_list', {}],
    ['friend_block', { nametag: 'otter7' }],
    ['friend_unblock', { nametag: 'otter7' }],
  ] as const;

  it.each(friendTools)(
    'is not told of %s and is refused it, called or wished for',
    async (name, args) => {
      const ada = await agents.people.newPerson();
      const subuser = await agents.people.newSubuser(ada);
      const gateway = await cast.gateway(subuser);
      const { tools } = await cast.runtime.listTools(
        { agentId: gateway.id, pageSize: 0, pageToken: '' },
        gateway.as,
      );
      expect(tools.map((tool) => tool.name)).not.toContain(name);
      const argumentsJson = JSON.stringify(args);
      const request = { requestId: createId(), agentId: gateway.id, name, argumentsJson };
      await expect(cast.runtime.callTool(request, gateway.as)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      const owner = await cast.foreground(ada);
      const text = `/${name} ${argumentsJson}`;
      const wish = { requestId: createId(), agentId: gateway.id, text };
      await cast.runtime.sendAgentMessage(wish, owner.as);
      const result = await eventually(async () => {
        const records = await historyOf(cast.runtime, gateway, gateway.id);
        return records.find(({ record }) => record?.$case === 'toolResult');
      });
      expect(result.record?.value).toMatchObject({
        isError: true,
        resultJson: expect.stringContaining('PERMISSION_DENIED'),
      });
    },
  );
});

describe('calling a tool from outside', () => {
  it('does what it does in a turn, once per request, and leaves no trace in the history', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const agent = await cast.foreground(ada);
    const before = await eventually(async () => {
      const records = await historyOf(cast.runtime, ada, agent.id);
      return records.length === 3 && records;
    });
    const argumentsJson = JSON.stringify({ nametag: bob.nametag });
    const request = { requestId: createId(), agentId: agent.id, name: 'friend_add', argumentsJson };
    const first = await cast.runtime.callTool(request, ada.as);
    expect(JSON.parse(first.resultJson)).toMatchObject({ status: 'pending_out' });
    expect(await cast.runtime.callTool(request, ada.as)).toEqual(first);
    expect(await historyOf(cast.runtime, ada, agent.id)).toEqual(before);
  });

  it('is refused for tools that are not there, arguments that do not fit and agents of others', async () => {
    const [ada, eve] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const agent = await cast.foreground(ada);
    const call = (name: string, argumentsJson: string, as = ada.as) =>
      cast.runtime.callTool({ requestId: createId(), agentId: agent.id, name, argumentsJson }, as);
    await expect(call('no_such_tool', '{}')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(call('friend_add', '{"nametag":"a1","more":1}')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(call('friend_add', 'nonsense')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(call('friend_list', '{}', eve.as)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a background agent', () => {
  it('works on its own and reports to the agent that started it', async () => {
    const ada = await Storyteller.begin();
    const report = JSON.stringify({ text: 'All done' });
    const prompt = `/send_agent_message ${report}`;
    const { agentId } = await ada.run('start_background_agent', { prompt, name: 'digger' });
    const heard = await ada.heard(3);
    expect(heard).toEqual([`${String(agentId)}: All done`]);
  });
});
