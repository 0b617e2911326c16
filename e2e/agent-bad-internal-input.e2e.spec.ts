import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Descriptor } from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { AgentCast } from './support/agent-cast';
import { startAgentStack, type AgentStack } from './support/agent-stack';
import {
  badCalls,
  badIds,
  badOnes,
  badPageSizes,
  badPageTokens,
  badRequestIds,
  badTexts,
  countAll,
  expectRefused,
  toToken,
} from './support/bad-input';

let agents: AgentStack;
let cast: AgentCast;
let userId: string;
let topology: CallOptions;
let before: Record<string, number>;

beforeAll(async () => {
  agents = await startAgentStack();
  cast = await AgentCast.open(agents);
  ({ id: userId } = await agents.people.newPerson());
  topology = await cast.asTopology();
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

type Kind = NonNullable<Descriptor['kind']>;
const names = ['', ' ', 'x'.repeat(101), 'a\nb'];
const prompts = badTexts.slice(0, 3);

/** Every descriptor that is wrong in one field, with the path of that field. */
function badDescriptors(): { field: string; kind: Kind }[] {
  const keeper = { id: createId(), name: 'Keeper', description: '', systemPrompt: '' };
  const child = { id: createId(), parentAgentId: createId(), name: 'Child', systemPrompt: '' };
  const gateway = { id: userId, name: 'Helper', systemPrompt: '' };
  const channel = { connector: 'cli', connectorUserId: 'me', channelId: 'desk' };
  const places = ['', ' ', 'x'.repeat(257), 'a\nb'];
  return [
    ...wrong('user', channel, {
      connector: ['', 'CLI', 'a/b', 'x'.repeat(65)],
      connectorUserId: places,
      channelId: places,
    }),
    ...wrong('subuser', gateway, {
      id: [...badIds, createId()],
      name: names,
      systemPrompt: prompts,
    }),
    ...wrong('permanent', keeper, {
      id: badIds,
      name: names,
      description: ['x'.repeat(1_001), 'a\u0000b'],
      systemPrompt: prompts,
    }),
    ...wrong('app', child, {
      id: badIds,
      parentAgentId: badIds,
      name: names,
      systemPrompt: prompts,
    }),
    ...wrong('subagent', child, { id: badIds, parentAgentId: badIds, name: names.slice(2) }),
    ...wrong('cron', { id: '' }, { id: badIds }),
    ...wrong('heartbeat', { userId }, { userId: [...badIds, createId()] }),
  ];
}

function wrong<T extends object>(
  $case: Kind['$case'],
  fine: T,
  bad: Partial<Record<keyof T & string, readonly string[]>>,
): { field: string; kind: Kind }[] {
  return Object.entries(bad as Record<string, readonly string[]>).flatMap(([key, values]) =>
    values.map((value) => ({
      field: `descriptor.${$case}.${key.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)}`,
      kind: { $case, value: { ...fine, [key]: value } } as unknown as Kind,
    })),
  );
}

describe('bad input of other services is refused by its name and leaves nothing behind:', () => {
  beforeEach(async () => {
    before = await countAll(agents.db);
  });
  afterEach(async () => {
    expect(await countAll(agents.db)).toEqual(before);
  });

  it('EnsureAgent', async () => {
    const of = (kind: Kind) => ({ requestId: createId(), userId, descriptor: { kind } });
    const fine = of({
      $case: 'permanent',
      value: { id: createId(), name: 'Keeper', description: '', systemPrompt: '' },
    });
    const ensure = (request: typeof fine) => cast.runtime.ensureAgent(request, topology);
    await expectRefused(
      badCalls(ensure, [
        ...badOnes(fine, 'request_id', 'requestId', badRequestIds),
        ...badOnes(fine, 'user_id', 'userId', badIds),
        ...badOnes(fine, 'descriptor', 'descriptor', [undefined, {}]),
        ...badDescriptors().map(({ field, kind }) => ({ field, request: of(kind) })),
      ]),
    );
    await expect(ensure({ ...fine, userId: createId() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('ListScope', async () => {
    const fine = {
      userIds: [],
      gatewayUserIds: [],
      includeDead: false,
      pageSize: 0,
      pageToken: '',
    };
    const tooMany = Array.from({ length: 2_001 }, () => 'someuser');
    const ids = badIds.map((id) => [userId, id]);
    const requests = [
      ...badOnes(fine, 'user_ids', 'userIds', [tooMany]),
      ...badOnes(fine, 'user_ids[1]', 'userIds', ids),
      ...badOnes(fine, 'gateway_user_ids', 'gatewayUserIds', [tooMany]),
      ...badOnes(fine, 'gateway_user_ids[1]', 'gatewayUserIds', ids),
      ...badOnes(fine, 'page_size', 'pageSize', badPageSizes),
      ...badOnes(fine, 'page_token', 'pageToken', [...badPageTokens, toToken([1, 'a'])]),
    ];
    await expectRefused(badCalls((request) => cast.runtime.listScope(request, topology), requests));
  });
});
