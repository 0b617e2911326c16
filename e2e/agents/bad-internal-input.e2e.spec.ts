import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Descriptor } from '@daycare/contracts/agent-runtime';
import type { CallOptions } from '@daycare/rpc';
import { useSharedStack } from '../support/stack/use-stack';
import * as bad from '../support/wire/bad-input';

const stack = useSharedStack();
const { people, agents, runtime } = stack;

let userId: string;
let topology: CallOptions;

beforeAll(async () => {
  ({ id: userId } = await people.newPerson());
  topology = await agents.asTopology();
});

type Kind = NonNullable<Descriptor['kind']>;
const badNames = ['', ' ', 'x'.repeat(101), 'a\nb'];
const badPrompts = bad.texts.slice(0, 3);

/** Descriptors of every kind, each with one invalid field, and the path of that field. */
function badDescriptors(): { field: string; kind: Kind }[] {
  const keeper = { id: createId(), name: 'Keeper', description: '', systemPrompt: '' };
  const child = { id: createId(), parentAgentId: createId(), name: 'Child', systemPrompt: '' };
  const gateway = { id: userId, name: 'Helper', systemPrompt: '' };
  const channel = { connector: 'cli', connectorUserId: 'me', channelId: 'desk' };
  const badChannelIds = ['', ' ', 'x'.repeat(257), 'a\nb'];
  return [
    ...withBadFields('user', channel, {
      connector: ['', 'CLI', 'a/b', 'x'.repeat(65)],
      connectorUserId: badChannelIds,
      channelId: badChannelIds,
    }),
    ...withBadFields('subuser', gateway, {
      id: [...bad.ids, createId()],
      name: badNames,
      systemPrompt: badPrompts,
    }),
    ...withBadFields('permanent', keeper, {
      id: bad.ids,
      name: badNames,
      description: ['x'.repeat(1_001), 'a\u0000b'],
      systemPrompt: badPrompts,
    }),
    ...withBadFields('app', child, {
      id: bad.ids,
      parentAgentId: bad.ids,
      name: badNames,
      systemPrompt: badPrompts,
    }),
    ...withBadFields('subagent', child, {
      id: bad.ids,
      parentAgentId: bad.ids,
      name: badNames.slice(2),
    }),
    ...withBadFields('cron', { id: '' }, { id: bad.ids }),
    ...withBadFields('heartbeat', { userId }, { userId: [...bad.ids, createId()] }),
  ];
}

function withBadFields<T extends object>(
  $case: Kind['$case'],
  validValue: T,
  badValues: Partial<Record<keyof T & string, readonly string[]>>,
): { field: string; kind: Kind }[] {
  return Object.entries(badValues as Record<string, readonly string[]>).flatMap(([key, values]) =>
    values.map((value) => ({
      field: `descriptor.${$case}.${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      kind: { $case, value: { ...validValue, [key]: value } } as unknown as Kind,
    })),
  );
}

describe('invalid input from other services', () => {
  bad.expectNothingStored(stack);

  it('EnsureAgent names each invalid field and stores nothing', async () => {
    const requestFor = (kind: Kind) => ({ requestId: createId(), userId, descriptor: { kind } });
    const validRequest = requestFor({
      $case: 'permanent',
      value: { id: createId(), name: 'Keeper', description: '', systemPrompt: '' },
    });
    const ensure = (request: typeof validRequest) => runtime.ensureAgent(request, topology);
    await bad.expectRefused(
      bad.calls(ensure, [
        ...bad.requests(validRequest, 'request_id', 'requestId', bad.requestIds),
        ...bad.requests(validRequest, 'user_id', 'userId', bad.ids),
        ...bad.requests(validRequest, 'descriptor', 'descriptor', [undefined, {}]),
        ...badDescriptors().map(({ field, kind }) => ({ field, request: requestFor(kind) })),
      ]),
    );
    await expect(ensure({ ...validRequest, userId: createId() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('ListScope names each invalid field', async () => {
    const validRequest = {
      userIds: [],
      gatewayUserIds: [],
      includeDead: false,
      pageSize: 0,
      pageToken: '',
    };
    const tooMany = Array.from({ length: 2_001 }, () => 'someuser');
    const ids = bad.ids.map((id) => [userId, id]);
    const requests = [
      ...bad.requests(validRequest, 'user_ids', 'userIds', [tooMany]),
      ...bad.requests(validRequest, 'user_ids[1]', 'userIds', ids),
      ...bad.requests(validRequest, 'gateway_user_ids', 'gatewayUserIds', [tooMany]),
      ...bad.requests(validRequest, 'gateway_user_ids[1]', 'gatewayUserIds', ids),
      ...bad.requests(validRequest, 'page_size', 'pageSize', bad.pageSizes),
      ...bad.requests(validRequest, 'page_token', 'pageToken', [
        ...bad.pageTokens,
        bad.toToken([1, 'a']),
      ]),
    ];
    await bad.expectRefused(bad.calls((request) => runtime.listScope(request, topology), requests));
  });
});
