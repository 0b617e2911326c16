import type { AppError } from '@daycare/api';

/** A failure as it is on the wire, byte for byte. */
export interface WireFailure {
  readonly code: number;
  readonly details: string;
  readonly bytes: string;
}

/** Resolves to everything that a caller can see of a response: its messages, or the failure. */
export async function wireAnswer(
  call: Promise<unknown> | AsyncIterable<unknown>,
): Promise<unknown> {
  try {
    return await readAll(call);
  } catch (error) {
    return toFailure(error as AppError);
  }
}

async function readAll(call: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
  if (!(Symbol.asyncIterator in call)) return call;
  const messages: unknown[] = [];
  for await (const message of call) messages.push(message);
  return messages;
}

function toFailure(error: AppError): WireFailure {
  const { code, details, metadata } = error.cause as {
    code: number;
    details: string;
    metadata: { get(key: string): Buffer[] };
  };
  const [bytes] = metadata.get('grpc-status-details-bin');
  return { code, details, bytes: bytes?.toString('base64') ?? '' };
}
