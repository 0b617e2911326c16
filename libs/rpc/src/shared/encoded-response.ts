/** A response that its handler keeps in encoded form: `bytes` must be one whole message of type T. */
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
