import type { Socket } from 'node:net';

const preface = 'PRI';

/**
 * Resolves to whether a connection uses HTTP/2, after reading its first bytes and putting them back; to undefined if
 * the connection ends or times out before the bytes are conclusive. The HTTP/2 preface begins with `PRI`, and no
 * HTTP/1.1 method does.
 */
export function detectHttp2(socket: Socket, timeoutMs: number): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    const finish = (isHttp2: boolean | undefined): void => {
      clearTimeout(timer);
      socket.off('readable', inspect).off('close', onClose);
      // Put back only now, because with the listener attached the bytes would be reported again immediately.
      if (isHttp2 !== undefined) socket.unshift(Buffer.concat(chunks));
      resolve(isHttp2);
    };
    const onClose = (): void => finish(undefined);
    const inspect = (): void => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      chunks.push(bytes);
      const start = Buffer.concat(chunks).toString('latin1', 0, preface.length);
      if (start === preface || !preface.startsWith(start)) finish(start === preface);
    };
    socket.on('readable', inspect).on('close', onClose);
  });
}
