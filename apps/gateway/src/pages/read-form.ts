import { invalidField } from '@daycare/api';
import type { GatewayRequest } from '../http/gateway-request';

const maxBytes = 8_192;

/** Reads the fields of a submitted form. */
export async function readForm(request: GatewayRequest): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw invalidField('form', `must have at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
