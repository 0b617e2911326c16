import { create } from '@bufbuild/protobuf';
import { AppError } from '@daycare/api';
import { setHeaders } from '../http/gateway-request';
import { writePaced } from '../http/write-paced';
import { methodOf, streamMessages } from '../rpc/message-calls';
import type { FileExchange } from './file-routes';

/** `DownloadFileResponse`, as its descriptor describes it. */
interface DownloadPart {
  readonly part:
    | { readonly case: 'header'; readonly value: FileHeader }
    | { readonly case: 'chunk'; readonly value: Uint8Array }
    | { readonly case: undefined };
}

interface FileHeader {
  readonly sha256: string;
  readonly file?: { readonly name: string; readonly mimeType: string; readonly size: bigint };
}

/**
 * Sends one of the caller's files as an attachment, because a user's file must never run as a page of this origin.
 */
export async function downloadFile(
  { response, runtime, options }: FileExchange,
  fileId: string,
): Promise<void> {
  const method = methodOf(runtime, 'downloadFile');
  const request = create(method.input, { fileId });
  const parts: AsyncIterable<unknown> = streamMessages(runtime, method, request, options);
  let header: FileHeader | undefined;
  // The headers are set only when bytes arrive or the download ends; until then the response can still be an error.
  const begin = (): void => {
    if (!header) throw new AppError('INTERNAL', 'The download did not begin with a header');
    if (!response.headersSent) setHeaders(response, headersOf(header));
  };
  for await (const { part } of parts as AsyncIterable<DownloadPart>) {
    if (part.case === 'header') header = part.value;
    if (part.case !== 'chunk') continue;
    begin();
    await writePaced(response, part.value, options.signal);
  }
  begin();
  response.end();
}

function headersOf({ file, sha256 }: FileHeader): Record<string, string> {
  return {
    'content-type': file?.mimeType ?? 'application/octet-stream',
    'content-length': String(file?.size ?? 0),
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(file?.name ?? 'file')}`,
    'content-security-policy': "default-src 'none'; sandbox",
    etag: `"${sha256}"`,
  };
}

/** Escapes a name as RFC 8187 requires; `encodeURIComponent` leaves a few characters unescaped. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
