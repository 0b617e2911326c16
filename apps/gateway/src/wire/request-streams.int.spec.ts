import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import {
  UploadFileRequest,
  UploadFileResponse,
  type AgentRuntimeServiceService,
} from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway';
import { frame } from './envelopes';

const path = '/daycare.agent_runtime.v1.AgentRuntimeService/UploadFile';
const part = Buffer.from(
  UploadFileRequest.encode({ part: { $case: 'chunk', value: Buffer.alloc(1_000) } }).finish(),
);

const uploadFile: Handlers<typeof AgentRuntimeServiceService>['uploadFile'] = async (parts) => {
  for await (const _ of parts);
  return UploadFileResponse.fromPartial({});
};

let session: ClientHttp2Session | undefined;
afterEach(() => session?.destroy());

/** Uploads a body piece by piece, each as one HTTP/2 frame; returns the status and the message. */
async function upload({ url }: TestGateway, pieces: readonly Buffer[]): Promise<string[]> {
  session = connect(url);
  const headers = { 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  const seen: Record<string, string> = {};
  for (const event of ['response', 'trailers'])
    stream.on(event, (fields: object) => Object.assign(seen, fields));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  stream.resume();
  await once(stream, 'close');
  return [seen['grpc-status'] ?? '', decodeURIComponent(seen['grpc-message'] ?? '')];
}

describe('UploadFile over gRPC', () => {
  const headOfHugeMessage = Buffer.from([0, 0x7f, 0, 0, 0]);

  it.each([
    ['a message that is too large', headOfHugeMessage, '8', 'larger than', 'RESOURCE_EXHAUSTED'],
    ['part of a message', frame(0, part).subarray(0, 9), '3', 'incomplete', 'INVALID_ARGUMENT'],
    ['a message of unknown kind', frame(2, part), '3', 'unexpected end flag', 'INVALID_ARGUMENT'],
  ])(
    'a stream of requests that ends with %s gets the matching error',
    async (_, last, status, text, code) => {
      const gateway = await startTestGateway({ runtime: { uploadFile } });
      const response = await upload(gateway, [frame(0, part), last]);
      expect(response).toEqual([status, expect.stringContaining(text)]);
      expect(gateway.outcomes).toMatchObject([{ method: 'UploadFile', code }]);
    },
  );

  it('a stream of requests gets its response even if its bytes arrive one by one', async () => {
    const gateway = await startTestGateway({ runtime: { uploadFile } });
    const bytes = frame(0, part);
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(await upload(gateway, pieces)).toEqual(['0', '']);
  });

  it('a stream of requests that the service refuses after its first message gets that refusal', async () => {
    const refuse: typeof uploadFile = async (parts) => {
      for await (const _ of parts) break;
      throw new AppError('PERMISSION_DENIED', 'Not yours');
    };
    const gateway = await startTestGateway({ runtime: { uploadFile: refuse } });
    const many = Array.from({ length: 2_000 }, () => frame(0, part));
    expect(await upload(gateway, many)).toEqual(['7', 'Not yours']);
  });
});
