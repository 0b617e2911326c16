import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  AgentStrategy,
  DescriptorKind,
  type UploadFileRequest,
} from '@daycare/contracts/agent-runtime';
import type { Actor } from '../support/people/agents';
import { upload } from '../support/people/files';
import { post, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import * as bad from '../support/wire/bad-input';
import type { Person } from '../support/people/people';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { people, agents, runtime } = stack;

let ada: Person;
let desk: Actor;

beforeAll(async () => {
  ada = await people.newPerson();
  desk = await agents.foreground(ada);
  await whenRecorded(runtime, ada, desk.id, 3);
  // Creates the document that counts the user's uploads, so that no refused upload is the first to create it.
  await upload(runtime, ada, 'first.txt', Buffer.from('first'));
});

describe('invalid input', () => {
  bad.expectNothingStored(stack);

  it('PostMessage names each invalid field and stores nothing', async () => {
    const validRequest = post('hello', 'another');
    const badNames = ['', ' ', 'x'.repeat(257), 'a\u0000', 'a\nb'];
    const requests = [
      ...bad.requests(validRequest, 'request_id', 'requestId', bad.requestIds),
      ...bad.requests(validRequest, 'connector', 'connector', [
        '',
        'CLI',
        'a/b',
        'x'.repeat(65),
        'a\u0000',
      ]),
      ...bad.requests(validRequest, 'channel_id', 'channelId', badNames),
      ...bad.requests(validRequest, 'connector_user_id', 'connectorUserId', badNames),
      ...bad.requests(validRequest, 'text', 'text', ['', ' \n', ...bad.texts]),
      ...bad.requests(
        validRequest,
        'file_ids[0]',
        'fileIds',
        bad.ids.map((id) => [id]),
      ),
      ...bad.requests(validRequest, 'file_ids', 'fileIds', [
        Array.from({ length: 17 }, createId),
        ['sameid', 'sameid'],
      ]),
      ...bad.requests(validRequest, 'reply_target', 'replyTarget', ['x'.repeat(1_025), 'a\nb']),
    ];
    await bad.expectRefused(bad.calls((request) => runtime.postMessage(request, ada.as), requests));
  });

  it('WatchAgent, ListHistory and ExportAgent name each invalid field', async () => {
    const validRequest = { agentId: desk.id, afterSequence: 0 };
    const page = { ...validRequest, pageSize: 0, pageToken: '', newestFirst: false };
    await bad.expectRefused([
      ...bad.calls(
        (request) => runtime.watchAgent(request, ada.as),
        [
          ...bad.requests(validRequest, 'agent_id', 'agentId', bad.ids),
          ...bad.requests(validRequest, 'after_sequence', 'afterSequence', [
            -1,
            Number.MIN_SAFE_INTEGER,
          ]),
        ],
      ),
      ...bad.calls(
        (request) => runtime.listHistory(request, ada.as),
        [
          ...bad.requests(page, 'agent_id', 'agentId', bad.ids),
          ...bad.requests(page, 'after_sequence', 'afterSequence', [-1]),
          ...bad.requests(page, 'page_size', 'pageSize', bad.pageSizes),
          ...bad.requests(page, 'page_token', 'pageToken', [
            ...bad.pageTokens,
            ...[[-1], [0.5], [1, 2]].map(bad.toToken),
          ]),
        ],
      ),
      ...bad.calls(
        (request) => runtime.exportAgent(request, ada.as),
        bad.requests({ agentId: desk.id }, 'agent_id', 'agentId', bad.ids),
      ),
    ]);
  });

  it('GetAgent and ListAgents name each invalid field', async () => {
    const page = { pageSize: 0, pageToken: '', subuserId: '', kinds: [], includeDead: false };
    const unknownKinds = [[DescriptorKind.UNSPECIFIED], [DescriptorKind.UNRECOGNIZED]];
    await bad.expectRefused([
      ...bad.ids.map((value): bad.BadCall => [
        'agent_id',
        () => runtime.getAgent({ selector: { $case: 'agentId', value } }, ada.as),
      ]),
      ...[AgentStrategy.UNSPECIFIED, AgentStrategy.UNRECOGNIZED].map((value): bad.BadCall => {
        const selector = { $case: 'strategy', value } as const;
        return ['strategy', () => runtime.getAgent({ selector }, ada.as)];
      }),
      ['selector', () => runtime.getAgent({}, ada.as)],
      ...bad.calls(
        (request) => runtime.listAgents(request, ada.as),
        [
          ...bad.requests(page, 'page_size', 'pageSize', bad.pageSizes),
          ...bad.requests(page, 'page_token', 'pageToken', [
            ...bad.pageTokens,
            bad.toToken([1, 'a', 'b']),
          ]),
          ...bad.requests(page, 'subuser_id', 'subuserId', bad.ids.slice(1)),
          ...bad.requests(page, 'kinds[0]', 'kinds', unknownKinds),
        ],
      ),
    ]);
  });

  it('ResetAgent, StopTurn and SendAgentMessage name each invalid field and store nothing', async () => {
    const reset = { requestId: createId(), agentId: desk.id, message: '' };
    const stop = { requestId: createId(), agentId: desk.id, steeringText: '', replyTarget: '' };
    const message = { requestId: createId(), agentId: desk.id, text: 'hello' };
    await bad.expectRefused([
      ...bad.calls(
        (request) => runtime.resetAgent(request, ada.as),
        [
          ...bad.requests(reset, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(reset, 'agent_id', 'agentId', bad.ids),
          ...bad.requests(reset, 'message', 'message', bad.texts),
        ],
      ),
      ...bad.calls(
        (request) => runtime.stopTurn(request, ada.as),
        [
          ...bad.requests(stop, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(stop, 'agent_id', 'agentId', bad.ids),
          ...bad.requests(stop, 'steering_text', 'steeringText', bad.texts),
        ],
      ),
      ...bad.calls(
        (request) => runtime.sendAgentMessage(request, desk.as),
        [
          ...bad.requests(message, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(message, 'agent_id', 'agentId', bad.ids.slice(1)),
          ...bad.requests(message, 'text', 'text', ['', ' \n', ...bad.texts]),
        ],
      ),
    ]);
  });

  it('ListDeadLetters, RetryDeadLetter and DownloadFile name each invalid field', async () => {
    const page = { pageSize: 0, pageToken: '', agentId: '' };
    const retry = { requestId: createId(), deadLetterId: createId() };
    await bad.expectRefused([
      ...bad.calls(
        (request) => runtime.listDeadLetters(request, ada.as),
        [
          ...bad.requests(page, 'page_size', 'pageSize', bad.pageSizes),
          ...bad.requests(page, 'page_token', 'pageToken', [
            ...bad.pageTokens,
            bad.toToken([1, 'a', 'b']),
          ]),
          ...bad.requests(page, 'agent_id', 'agentId', bad.ids.slice(1)),
        ],
      ),
      ...bad.calls(
        (request) => runtime.retryDeadLetter(request, ada.as),
        [
          ...bad.requests(retry, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(retry, 'dead_letter_id', 'deadLetterId', bad.ids),
        ],
      ),
      ...bad.calls(
        (request) => runtime.downloadFile(request, ada.as),
        bad.requests({ fileId: '' }, 'file_id', 'fileId', bad.ids),
      ),
    ]);
  });

  it('UploadFile names each invalid field and stores nothing', async () => {
    const validRequest = { requestId: createId(), name: 'a.txt', mimeType: '', sha256: '' };
    const header = (value = validRequest): UploadFileRequest => ({
      part: { $case: 'header', value },
    });
    const chunk = (bytes = 1): UploadFileRequest => ({
      part: { $case: 'chunk', value: Buffer.alloc(bytes) },
    });
    const send = (parts: UploadFileRequest[]) => runtime.uploadFile(inTurn(parts), ada.as);
    const badNames = ['', '.', '..', 'a/b', 'a\\b', 'a\u0000', 'x'.repeat(256), 'é'.repeat(128)];
    await bad.expectRefused([
      ['header', () => send([])],
      ['header', () => send([chunk(), header()])],
      ['header', () => send([header(), chunk(), header()])],
      ['part', () => send([{}])],
      ['part', () => send([header(), {}])],
      ['chunk', () => send([header(), chunk(1_048_577)])],
      ...bad.calls(
        (request) => send([header(request), chunk()]),
        [
          ...bad.requests(validRequest, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(validRequest, 'name', 'name', badNames),
          ...bad.requests(validRequest, 'sha256', 'sha256', ['x', 'A'.repeat(64), '0'.repeat(64)]),
          ...bad.requests(validRequest, 'mime_type', 'mimeType', ['x'.repeat(257), 'a\u0000b']),
        ],
      ),
    ]);
  });
});

describe('other users’ agents', () => {
  it('calls for another user’s agent get the same response, byte for byte, as calls for an unknown agent', async () => {
    const eve = await people.newPerson();
    const helper = await people.newSubuser(ada);
    const gateway = await agents.gateway(helper);
    const list = { pageSize: 0, pageToken: '' };
    const attempts: Record<string, (id: string) => Promise<unknown> | AsyncIterable<unknown>> = {
      get: (value) => runtime.getAgent({ selector: { $case: 'agentId', value } }, eve.as),
      watch: (agentId) => runtime.watchAgent({ agentId, afterSequence: 0 }, eve.as),
      export: (agentId) => runtime.exportAgent({ agentId }, eve.as),
      reset: (agentId) => runtime.resetAgent({ requestId: 'r', agentId, message: '' }, eve.as),
      stop: (agentId) =>
        runtime.stopTurn({ requestId: 'r', agentId, steeringText: '', replyTarget: '' }, eve.as),
      history: (agentId) =>
        runtime.listHistory({ ...list, agentId, afterSequence: 0, newestFirst: false }, eve.as),
      'dead letters': (agentId) => runtime.listDeadLetters({ ...list, agentId }, eve.as),
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
