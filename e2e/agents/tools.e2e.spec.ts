import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { historyOf, post } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';

const stack = useSharedStack();
const { people, agents, runtime } = stack;

/** A person who does everything through an agent's tools. */
class ToolUser {
  private constructor(
    readonly person: Person,
    readonly agentId: string,
  ) {}

  static async begin(): Promise<ToolUser> {
    const person = await people.newPerson();
    const { id } = await agents.foreground(person);
    const user = new ToolUser(person, id);
    await user.received(1);
    return user;
  }

  get nametag(): string {
    return this.person.nametag;
  }

  /** Has the agent run a tool; resolves with the result from the history. */
  async run(tool: string, args: object): Promise<Record<string, unknown>> {
    const text = `/${tool} ${JSON.stringify(args)}`;
    const { afterSequence } = await runtime.postMessage(post(text), this.person.as);
    const result = await this.#waitFor((record, sequence) =>
      sequence > afterSequence && record?.$case === 'toolResult' && record.value.toolName === tool
        ? record.value.resultJson
        : undefined,
    );
    await this.#waitForAnswer(afterSequence);
    return JSON.parse(result) as Record<string, unknown>;
  }

  /** Waits until the agent has `count` messages, including the person's own; resolves with those from others. */
  async received(count: number): Promise<string[]> {
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
    return historyOf(runtime, this.person, this.agentId);
  }

  async #waitForAnswer(afterSequence: number): Promise<void> {
    await this.#waitFor((record, sequence) =>
      sequence > afterSequence && record?.$case === 'assistantMessage' && record.value.text !== ''
        ? true
        : undefined,
    );
  }

  async #waitFor<T>(
    find: (record: HistoryRecord['record'], sequence: number) => T | undefined,
  ): Promise<T> {
    return eventually(async () => {
      for (const { record, sequence } of await this.history()) {
        const match = find(record, sequence);
        if (match !== undefined) return match as Exclude<T, false | undefined>;
      }
      return undefined;
    });
  }
}

const noticeFrom = (nametag: string, ...words: string[]) =>
  expect.stringMatching(new RegExp(`^friend:${nametag}: .*${words.join('.*')}`, 's'));

describe('two people who use only their agents’ tools', () => {
  it('two people can become friends, exchange messages, share a subuser, unshare it and end the friendship using only their agents’ tools', async () => {
    const [ada, bob] = await Promise.all([ToolUser.begin(), ToolUser.begin()]);

    expect(await ada.run('friend_add', { nametag: bob.nametag })).toEqual({
      summary: `Friend request sent to ${bob.nametag}`,
      status: 'pending_out',
      nametag: bob.nametag,
    });
    await bob.received(2);
    expect(await bob.run('friend_add', { nametag: ada.nametag })).toMatchObject({
      status: 'friends',
    });
    await ada.received(3);
    const sent = await ada.run('friend_send', { nametag: bob.nametag, message: 'Hi, Bob' });
    expect(sent).toMatchObject({ summary: `Message sent to ${bob.nametag}`, nametag: bob.nametag });
    await bob.received(4);

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
    await bob.received(5);
    expect(await bob.run('friend_add', { nametag: helper })).toMatchObject({ status: 'active' });
    await ada.received(7);

    const question = { agentId: gateway, text: 'Are you there?' };
    expect(await bob.run('send_agent_message', question)).toMatchObject({ agentId: gateway });
    const reply = JSON.stringify({ agentId: bob.agentId, text: 'At your service' });
    const instruction = { agentId: gateway, text: `/send_agent_message ${reply}` };
    await ada.run('send_agent_message', instruction);
    await bob.received(8);

    expect(await ada.run('friend_unshare_subuser', share)).toMatchObject({ status: 'removed' });
    await bob.received(9);
    expect(await bob.run('send_agent_message', question)).toMatchObject({
      error: { code: 'PERMISSION_DENIED' },
    });
    expect(await ada.run('friend_remove', { nametag: bob.nametag })).toMatchObject({
      status: 'removed',
    });

    expect(await bob.received(11)).toEqual([
      noticeFrom(ada.nametag, 'friend_add'),
      `friend:${ada.nametag}: Hi, Bob`,
      noticeFrom(ada.nametag, 'helper', helper!),
      `${gateway}: At your service`,
      noticeFrom(ada.nametag, helper!),
      noticeFrom(ada.nametag, ''),
    ]);
    expect(await ada.received(10)).toEqual([
      noticeFrom(bob.nametag, ''),
      noticeFrom(bob.nametag, helper!),
    ]);
  });
});

describe('a subuser’s agent', () => {
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
    'a subuser’s agent is not offered %s and may not call it',
    async (name, args) => {
      const ada = await people.newPerson();
      const subuser = await people.newSubuser(ada);
      const gateway = await agents.gateway(subuser);
      const { tools } = await runtime.listTools(
        { agentId: gateway.id, pageSize: 0, pageToken: '' },
        gateway.as,
      );
      expect(tools.map((tool) => tool.name)).not.toContain(name);
      const argumentsJson = JSON.stringify(args);
      const request = { requestId: createId(), agentId: gateway.id, name, argumentsJson };
      await expect(runtime.callTool(request, gateway.as)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      const owner = await agents.foreground(ada);
      const text = `/${name} ${argumentsJson}`;
      const message = { requestId: createId(), agentId: gateway.id, text };
      await runtime.sendAgentMessage(message, owner.as);
      const result = await eventually(async () => {
        const records = await historyOf(runtime, gateway, gateway.id);
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
  it('CallTool has the same effect as a tool call in a turn, once per request id, but adds no history record', async () => {
    const [ada, bob] = await people.newPair();
    const agent = await agents.foreground(ada);
    const before = await eventually(async () => {
      const records = await historyOf(runtime, ada, agent.id);
      return records.length === 3 && records;
    });
    const argumentsJson = JSON.stringify({ nametag: bob.nametag });
    const request = { requestId: createId(), agentId: agent.id, name: 'friend_add', argumentsJson };
    const first = await runtime.callTool(request, ada.as);
    expect(JSON.parse(first.resultJson)).toMatchObject({ status: 'pending_out' });
    expect(await runtime.callTool(request, ada.as)).toEqual(first);
    expect(await historyOf(runtime, ada, agent.id)).toEqual(before);
  });

  it('CallTool refuses unknown tools, invalid arguments and other users’ agents', async () => {
    const [ada, eve] = await people.newPair();
    const agent = await agents.foreground(ada);
    const call = (name: string, argumentsJson: string, as = ada.as) =>
      runtime.callTool({ requestId: createId(), agentId: agent.id, name, argumentsJson }, as);
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
  it('a background agent works on its own and reports to the agent that started it', async () => {
    const ada = await ToolUser.begin();
    const report = JSON.stringify({ text: 'All done' });
    const prompt = `/send_agent_message ${report}`;
    const { agentId } = await ada.run('start_background_agent', { prompt, name: 'digger' });
    const received = await ada.received(3);
    expect(received).toEqual([`${String(agentId)}: All done`]);
  });
});
