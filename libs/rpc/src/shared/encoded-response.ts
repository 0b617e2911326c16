/** A response in its encoded form, for a handler that keeps it: `bytes` must be one whole message of type T. */
export class EncodedResponse<T> {
  declare private readonly type: T;

  constructor(readonly bytes: Buffer) {}
}

/** Encodes a response with `serialize`, unless the handler has done so already. */
export function serializeOnce<T>(
  serialize: (response: T) => Buffer,
): (response: T | EncodedResponse<T>) => Buffer {
  return (response) => (response instanceof EncodedResponse ? response.bytes : serialize(response));
}
