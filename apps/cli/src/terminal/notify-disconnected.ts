/** Explains a pause in a stream that someone is watching. */
export function notifyDisconnected(): void {
  if (process.stderr.isTTY) process.stderr.write('Connection lost; reconnecting…\n');
}
