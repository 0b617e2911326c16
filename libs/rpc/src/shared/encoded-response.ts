/** A response that the handler has already encoded; `bytes` must be one whole message of type T. */
export class EncodedResponse<T> {
  declare private readonly type: T;

  constructor(readonly bytes: Buffer) {}
}

/** Returns a function that encodes a response with `serialize`, unless the handler has already encoded it. */
export function serializeOnce<T>(
  serialize: (response: T) => Buffer,
): (response: T | EncodedResponse<T>) => Buffer {
  return (response) => (response instanceof EncodedResponse ? response.bytes : serialize(response));
}
