import type { Http2Session, Http2Stream } from 'node:http2';

/** Closes an HTTP/2 session once it has had no open stream for `idleMs`. */
export function closeWhenIdle(session: Http2Session, idleMs: number): void {
  let openStreams = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => session.close(), idleMs);
  };
  session.on('stream', (stream: Http2Stream) => {
    openStreams += 1;
    clearTimeout(timer);
    stream.once('close', () => {
      openStreams -= 1;
      if (openStreams === 0 && !session.destroyed) wait();
    });
  });
  session.once('close', () => clearTimeout(timer));
  wait();
}
