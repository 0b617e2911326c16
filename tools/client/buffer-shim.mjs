/** The generated contracts use Node's Buffer for bytes; this is all that they need from it in a browser. */
export const Buffer = {
  from: (value, encoding) =>
    encoding === 'base64'
      ? Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0))
      : new Uint8Array(value),
  alloc: (size) => new Uint8Array(size),
};
