import { request as httpRequest } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { notFound } from '@daycare/api';
import type { UploadFileRequest } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { startTestGateway } from '../test-support/test-gateway';

const file = { id: 'f1', name: 'a “b” (1).txt', mimeType: 'text/html', size: 5 };

/** Records what is uploaded and responds with a fixed reference. */
function recordUpload() {
  const received: { header?: object; bytes: number; failure?: unknown } = { bytes: 0 };
  const uploadFile = async (parts: AsyncIterable<UploadFileRequest>) => {
    try {
      for await (const { part } of parts) {
        if (part?.$case === 'header') received.header = part.value;
        else received.bytes += part?.value.length ?? 0;
      }
    } catch (error) {
      received.failure = error;
      throw error;
    }
    return { file, sha256: 'ab' };
  };
  return { received, uploadFile };
}

describe('POST /files', () => {
  it('an upload is streamed to agent-runtime with its name, type, hash and request id', async () => {
    const { received, uploadFile } = recordUpload();
    const gateway = await startTestGateway({ runtime: { uploadFile } });
    const response = await fetch(`${gateway.url}/files?name=caf%C3%A9.bin&sha256=ab`, {
      method: 'POST',
      body: Buffer.alloc(3 << 20),
      headers: { 'content-type': 'image/png', 'x-request-id': 'r1', authorization: 'Bearer me' },
    });
    const reference = { id: 'f1', name: file.name, mimeType: 'text/html', size: '5' };
    expect(await response.json()).toEqual({ file: reference, sha256: 'ab' });
    const header = { requestId: 'r1', name: 'café.bin', mimeType: 'image/png', sha256: 'ab' };
    expect(received).toEqual({ header, bytes: 3 << 20 });
    expect(gateway.seen[0]).toMatchObject({ authorization: 'Bearer me' });
    expect(response.headers.get('x-request-id')).toBe('r1');
  });

  it('an upload that is too large is refused, and none of it is forwarded', async () => {
    const gateway = await startTestGateway();
    const response = await fetch(`${gateway.url}/files?name=big`, {
      method: 'POST',
      body: Buffer.alloc((32 << 20) + 1),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'invalid_argument', message: 'The file must be at most 33554432 bytes' },
    ]);
    expect(gateway.seen).toEqual([]);
  });

  it('an upload that agent-runtime refuses gets its error, even if the body has not been read completely', async () => {
    const refuse = async () => {
      throw notFound('user');
    };
    const gateway = await startTestGateway({ runtime: { uploadFile: refuse } });
    const body = Buffer.alloc(8 << 20);
    const response = await fetch(`${gateway.url}/files?name=x`, { method: 'POST', body });
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
  });

  it('an upload is forwarded with any request id that services accept, and refused with any other', async () => {
    const { received, uploadFile } = recordUpload();
    const gateway = await startTestGateway({ runtime: { uploadFile } });
    const upload = async (id: string): Promise<number> => {
      const init = { method: 'POST', body: 'x', headers: { 'x-request-id': id } };
      return (await fetch(`${gateway.url}/files?name=x`, init)).status;
    };
    expect(await upload('a+b/c==')).toBe(200);
    expect(received.header).toMatchObject({ requestId: 'a+b/c==' });
    expect([await upload('a b'), await upload('x'.repeat(129))]).toEqual([400, 400]);
  });

  it('an upload ends when its sender disconnects', async () => {
    const { received, uploadFile } = recordUpload();
    const gateway = await startTestGateway({ runtime: { uploadFile } });
    const sending = httpRequest(`${gateway.url}/files?name=x`, { method: 'POST' });
    sending.on('error', () => undefined).write(Buffer.alloc(100_000));
    await eventually(() => received.bytes === 100_000);
    sending.destroy();
    await eventually(() => received.failure !== undefined);
  });
});

describe('GET /files/<id>', () => {
  it('a download returns a file as an attachment that cannot run as a page', async () => {
    const gateway = await startTestGateway({
      runtime: {
        async *downloadFile({ fileId }) {
          const header = { file: { ...file, id: fileId }, sha256: 'ab' };
          yield { part: { $case: 'header', value: header } };
          for (const text of ['hel', 'lo'])
            yield { part: { $case: 'chunk', value: Buffer.from(text) } };
        },
      },
    });
    const response = await fetch(`${gateway.url}/files/f1`);
    expect(await response.text()).toBe('hello');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': "attachment; filename*=UTF-8''a%20%E2%80%9Cb%E2%80%9D%20%281%29.txt",
      'content-length': '5',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: '"ab"',
    });
  });

  it('a download that agent-runtime refuses gets its error', async () => {
    const gateway = await startTestGateway({
      runtime: {
        async *downloadFile() {
          throw notFound('file');
        },
      },
    });
    const response = await fetch(`${gateway.url}/files/none`);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'not_found', message: 'File not found' },
    ]);
  });

  it('a download that fails after agent-runtime has sent the file’s header still gets the error', async () => {
    const gateway = await startTestGateway({
      runtime: {
        async *downloadFile() {
          yield { part: { $case: 'header', value: { file, sha256: 'ab' } } };
          throw notFound('file');
        },
      },
    });
    const response = await fetch(`${gateway.url}/files/f1`);
    expect(response.headers.get('content-disposition')).toBeNull();
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
  });

  it('a request for a file is refused if its method is not GET', async () => {
    const gateway = await startTestGateway();
    const response = await fetch(`${gateway.url}/files/f1`, { method: 'DELETE' });
    expect(response.status).toBe(501);
  });
});
