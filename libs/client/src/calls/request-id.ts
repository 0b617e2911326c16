/** A new request id: a call that is repeated with the same one acts once. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
