import type { Writable } from 'node:stream';

/** How many elements may be unsent; enough for the responses to one batch. */
const maxUnsent = 64;

/**
 * Lets a stream take further elements while earlier ones are being sent. gRPC's own streams write one element at a time
 * to the socket, so the responses to a batch would be sent one by one, and so would the client's next requests.
 * Elements stay in order; the reader still sets the pace once `maxUnsent` of them are unsent.
 */
export function sendAhead(stream: Writable): void {
  const send = stream._write.bind(stream);
  let unsent = 0;
  let proceed: ((error?: Error | null) => void) | undefined;
  stream._write = (element, encoding, done) => {
    unsent += 1;
    if (unsent < maxUnsent) process.nextTick(done);
    else proceed = done;
    send(element, encoding, (error) => {
      unsent -= 1;
      const next = proceed;
      proceed = undefined;
      if (next) next(error);
      else if (error) stream.destroy(error);
    });
  };
}
