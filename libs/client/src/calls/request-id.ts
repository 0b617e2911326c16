/** Creates a request id. A call that is retried with the same id takes effect only once. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
