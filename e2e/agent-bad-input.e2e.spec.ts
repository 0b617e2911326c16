import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import {
  AgentStrategy,
  DescriptorKind,
  type UploadFileRequest,
} from '@daycare/contracts/agent-runtime';
import { AgentCast, type Actor } from './support/agent-cast';
import { post, startAgentStack, whenRecorded, type AgentStack } from './support/agent-stack';
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
  type BadCall,
} from './support/bad-input';
import type { Person } from './support/people';
import { wireAnswer } from './support/wire-answer';

let agents: AgentStack;
let cast: AgentCast;
let ada: Person;
let desk: Actor;
let before: Record<string, number>;

beforeAll(async () => {
  agents = await startAgentStack();
  cast = await AgentCast.open(agents);
  ada = await agents.people.newPerson();
  desk = await cast.foreground(ada);
  await whenRecorded(cast.runtime, ada, desk.id, 3);
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

describe('bad input is refused by its name and leaves nothing behind:', () => {
  beforeEach(async () => {
    before = await countAll(agents.db);
  });
  afterEach(async () => {
    expect(await countAll(agents.db)).toEqual(before);
  });

  it('PostMessage', async () => {
    const fine = post('hello', 'another');
    const names = ['', ' ', 'x'.repeat(257), 'a\u0000', 'a\nb'];
    const requests = [
      ...badOnes(fine, 'request_id', 'requestId', badRequestIds),
      ...badOnes(fine, 'connector', 'connector', ['', 'CLI', 'a/b', 'x'.repeat(65), 'a\u0000']),
      ...badOnes(fine, 'channel_id', 'channelId', names),
      ...badOnes(fine, 'connector_user_id', 'connectorUserId', names),
      ...badOnes(fine, 'text', 'text', ['', ' \n', ...badTexts]),
      ...badOnes(
        fine,
        'file_ids[0]',
        'fileIds',
        badIds.map((id) => [id]),
      ),
      ...badOnes(fine, 'file_ids', 'fileIds', [
        Array.from({ length: 17 }, createId),
        ['sameid', 'sameid'],
      ]),
      ...badOnes(fine, 'reply_target', 'replyTarget', ['x'.repeat(1_025), 'a\nb']),
    ];
    await expectRefused(badCalls((request) => cast.runtime.postMessage(request, ada.as), requests));
  });

  it('WatchAgent, ListHistory and ExportAgent', async () => {
    const fine = { agentId: desk.id, afterSequence: 0 };
    const page = { ...fine, pageSize: 0, pageToken: '', newestFirst: false };
    await expectRefused([
      ...badCalls(
        (request) => cast.runtime.watchAgent(request, ada.as),
        [
          ...badOnes(fine, 'agent_id', 'agentId', badIds),
          ...badOnes(fine, 'after_sequence', 'afterSequence', [-1, Number.MIN_SAFE_INTEGER]),
        ],
      ),
      ...badCalls(
        (request) => cast.runtime.listHistory(request, ada.as),
        [
          ...badOnes(page, 'agent_id', 'agentId', badIds),
          ...badOnes(page, 'after_sequence', 'afterSequence', [-1]),
          ...badOnes(page, 'page_size', 'pageSize', badPageSizes),
          ...badOnes(page, 'page_token', 'pageToken', [
            ...badPageTokens,
            ...[[-1], [0.5], [1, 2]].map(toToken),
          ]),
        ],
      ),
      ...badCalls(
        (request) => cast.runtime.exportAgent(request, ada.as),
        badOnes({ agentId: desk.id }, 'agent_id', 'agentId', badIds),
      ),
    ]);
  });

  it('GetAgent and ListAgents', async () => {
    const page = { pageSize: 0, pageToken: '', subuserId: '', kinds: [], includeDead: false };
    const unknownKinds = [[DescriptorKind.UNSPECIFIED], [DescriptorKind.UNRECOGNIZED]];
    await expectRefused([
      ...badIds.map((value): BadCall => [
        'agent_id',
        () => cast.runtime.getAgent({ selector: { $case: 'agentId', value } }, ada.as),
      ]),
      ...[AgentStrategy.UNSPECIFIED, AgentStrategy.UNRECOGNIZED].map((value): BadCall => {
        const selector = { $case: 'strategy', value } as const;
        return ['strategy', () => cast.runtime.getAgent({ selector }, ada.as)];
      }),
      ['selector', () => cast.runtime.getAgent({}, ada.as)],
      ...badCalls(
        (request) => cast.runtime.listAgents(request, ada.as),
        [
          ...badOnes(page, 'page_size', 'pageSize', badPageSizes),
          ...badOnes(page, 'page_token', 'pageToken', [...badPageTokens, toToken([1, 'a', 'b'])]),
          ...badOnes(page, 'subuser_id', 'subuserId', badIds.slice(1)),
          ...badOnes(page, 'kinds[0]', 'kinds', unknownKinds),
        ],
      ),
    ]);
  });

  it('ResetAgent and SendAgentMessage', async () => {
    const reset = { requestId: createId(), agentId: desk.id, message: '' };
    const message = { requestId: createId(), agentId: desk.id, text: 'hello' };
    await expectRefused([
      ...badCalls(
        (request) => cast.runtime.resetAgent(request, ada.as),
        [
          ...badOnes(reset, 'request_id', 'requestId', badRequestIds),
          ...badOnes(reset, 'agent_id', 'agentId', badIds),
          ...badOnes(reset, 'message', 'message', badTexts),
        ],
      ),
      ...badCalls(
        (request) => cast.runtime.sendAgentMessage(request, desk.as),
        [
          ...badOnes(message, 'request_id', 'requestId', badRequestIds),
          ...badOnes(message, 'agent_id', 'agentId', badIds.slice(1)),
          ...badOnes(message, 'text', 'text', ['', ' \n', ...badTexts]),
        ],
      ),
    ]);
  });

  it('ListDeadLetters, RetryDeadLetter and DownloadFile', async () => {
    const page = { pageSize: 0, pageToken: '', agentId: '' };
    const retry = { requestId: createId(), deadLetterId: createId() };
    await expectRefused([
      ...badCalls(
        (request) => cast.runtime.listDeadLetters(request, ada.as),
        [
          ...badOnes(page, 'page_size', 'pageSize', badPageSizes),
          ...badOnes(page, 'page_token', 'pageToken', [...badPageTokens, toToken([1, 'a', 'b'])]),
          ...badOnes(page, 'agent_id', 'agentId', badIds.slice(1)),
        ],
      ),
      ...badCalls(
        (request) => cast.runtime.retryDeadLetter(request, ada.as),
        [
          ...badOnes(retry, 'request_id', 'requestId', badRequestIds),
          ...badOnes(retry, 'dead_letter_id', 'deadLetterId', badIds),
        ],
      ),
      ...badCalls(
        (request) => cast.runtime.downloadFile(request, ada.as),
        badOnes({ fileId: '' }, 'file_id', 'fileId', badIds),
      ),
    ]);
  });

  it('UploadFile', async () => {
    const fine = { requestId: createId(), name: 'a.txt', mimeType: '', sha256: '' };
    const header = (value = fine): UploadFileRequest => ({ part: { $case: 'header', value } });
    const chunk = (bytes = 1): UploadFileRequest => ({
      part: { $case: 'chunk', value: Buffer.alloc(bytes) },
    });
    const upload = (parts: UploadFileRequest[]) => cast.runtime.uploadFile(inTurn(parts), ada.as);
    const badNames = ['', '.', '..', 'a/b', 'a\\b', 'a\u0000', 'x'.repeat(256), 'é'.repeat(128)];
    await expectRefused([
      ['header', () => upload([])],
      ['header', () => upload([chunk(), header()])],
      ['header', () => upload([header(), chunk(), header()])],
      ['part', () => upload([{}])],
      ['part', () => upload([header(), {}])],
      ['chunk', () => upload([header(), chunk(1_048_577)])],
      ...badCalls(
        (request) => upload([header(request), chunk()]),
        [
          ...badOnes(fine, 'request_id', 'requestId', badRequestIds),
          ...badOnes(fine, 'name', 'name', badNames),
          ...badOnes(fine, 'sha256', 'sha256', ['x', 'A'.repeat(64), '0'.repeat(64)]),
          ...badOnes(fine, 'mime_type', 'mimeType', ['x'.repeat(257), 'a\u0000b']),
        ],
      ),
    ]);
  });
});

describe('an agent of somebody else', () => {
  it('is unknown, byte for byte', async () => {
    const eve = await agents.people.newPerson();
    const helper = await agents.people.newSubuser(ada);
    const gateway = await cast.gateway(helper);
    const { runtime } = cast;
    const list = { pageSize: 0, pageToken: '' };
    const attempts: Record<string, (id: string) => Promise<unknown> | AsyncIterable<unknown>> = {
      get: (value) => runtime.getAgent({ selector: { $case: 'agentId', value } }, eve.as),
      watch: (agentId) => runtime.watchAgent({ agentId, afterSequence: 0 }, eve.as),
      export: (agentId) => runtime.exportAgent({ agentId }, eve.as),
      reset: (agentId) => runtime.resetAgent({ requestId: 'r', agentId, message: '' }, eve.as),
      history: (agentId) =>
        runtime.listHistory({ ...list, agentId, afterSequence: 0, newestFirst: false }, eve.as),
      letters: (agentId) => runtime.listDeadLetters({ ...list, agentId }, eve.as),
      list: (subuserId) =>
        runtime.listAgents({ ...list, subuserId, kinds: [], includeDead: true }, eve.as),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const unknown = await wireAnswer(attempt(createId()));
      for (const id of [desk.id, gateway.id, helper.id, ada.id])
        expect([name, await wireAnswer(attempt(id))]).toEqual([name, unknown]);
    }
  });
});

async function* inTurn<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts;
}
