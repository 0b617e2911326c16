import { once } from 'node:events';
import { AppError } from '@daycare/api';
import type { GatewayResponse } from './gateway-request';

/** Writes bytes and waits until the reader can take more; throws CANCELLED once `disconnected` is aborted. */
export async function writePaced(
  response: GatewayResponse,
  bytes: Uint8Array,
  disconnected: AbortSignal,
): Promise<void> {
  if (disconnected.aborted) throw cancelled();
  if ((response.write as (chunk: Uint8Array) => boolean).call(response, bytes)) return;
  await once(response, 'drain', { signal: disconnected }).catch((error: unknown) => {
    throw disconnected.aborted ? cancelled() : error;
  });
}

function cancelled(): AppError {
  return new AppError('CANCELLED', 'The call was cancelled');
}
