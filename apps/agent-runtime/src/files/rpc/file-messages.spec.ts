import { describe, expect, it } from '@jest/globals';
import type { UploadFileRequest } from '@daycare/contracts/agent-runtime';
import { readAll } from '../../test-support/test-files';
import { toDownloadResponses, toUploadParts, toUploadResponse } from './file-messages';

async function* streamOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
const file = { id: 'f1', name: 'a.txt', mimeType: 'text/plain', size: 2 };
const sha256 = 'ab';

describe('the translation of file messages', () => {
  it('decodes upload messages into parts', async () => {
    const header = { requestId: 'r1', name: 'a.txt', mimeType: 'text/plain', sha256: '' };
    const chunk = Buffer.from('hi');
    const requests: UploadFileRequest[] = [
      { part: { $case: 'header', value: header } },
      { part: { $case: 'chunk', value: chunk } },
    ];
    await expect(readAll(toUploadParts(streamOf(requests)))).resolves.toEqual([
      { header },
      { chunk },
    ]);
  });

  it('refuses an empty upload message', async () => {
    await expect(readAll(toUploadParts(streamOf([{}])))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'The part is required',
    });
  });

  it('encodes download parts and upload results', async () => {
    const chunk = Buffer.from('hi');
    const parts = streamOf([{ header: { file, sha256 } }, { chunk }]);
    await expect(readAll(toDownloadResponses(parts))).resolves.toEqual([
      { part: { $case: 'header', value: { file, sha256 } } },
      { part: { $case: 'chunk', value: chunk } },
    ]);
    expect(toUploadResponse({ file, sha256 })).toEqual({ file, sha256 });
  });
});
