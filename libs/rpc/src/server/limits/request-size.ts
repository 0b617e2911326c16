import { AppError } from '@daycare/api';

/** Takes the place of a request that was too large to be decoded. */
class OversizedRequest {
  constructor(readonly maxBytes: number) {}
}

/** Returns a function that decodes requests up to a size. Larger ones are refused later, once the caller is known. */
export function deserializeUpTo(
  maxBytes: number,
  deserialize: (bytes: Buffer) => unknown,
): (bytes: Buffer) => unknown {
  const oversized = new OversizedRequest(maxBytes);
  return (bytes) => (bytes.length > maxBytes ? oversized : deserialize(bytes));
}

/** Throws INVALID_ARGUMENT for a request that was too large. */
export function assertSize(request: unknown): void {
  if (!(request instanceof OversizedRequest)) return;
  const kibibytes = request.maxBytes / 1_024;
  throw new AppError('INVALID_ARGUMENT', `The request is larger than ${kibibytes} KiB`);
}
