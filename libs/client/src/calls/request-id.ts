/** A new request id: a call that is repeated with the same id takes effect only once. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
