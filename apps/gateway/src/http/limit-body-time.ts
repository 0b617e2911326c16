import { constants, type Http2ServerRequest } from 'node:http2';

export interface BodyTimes {
  /** How long it may take to receive the whole request; its response may take longer. */
  readonly requestMs: number;
  /** How long the request may continue after the end of its response. */
  readonly lingerMs: number;
}

/** Ends a request over HTTP/2 that is not received completely in time. */
export function limitBodyTime(
  request: Http2ServerRequest,
  { requestMs, lingerMs }: BodyTimes,
): void {
  const { stream } = request;
  if (stream.endAfterHeaders) return;
  let timer: NodeJS.Timeout | undefined;
  const endAfter = (ms: number, code: number): void => {
    timer = setTimeout(() => {
      if (stream.state.remoteClose === 0) stream.close(code);
    }, ms);
  };
  if (Number.isFinite(requestMs)) endAfter(requestMs, constants.NGHTTP2_CANCEL);
  const release = (): void => clearTimeout(timer);
  request.once('end', release);
  stream.once('finish', () => {
    release();
    // Node waits for the rest of a partly read request; until it has arrived, the stream counts as open.
    if (stream.state.remoteClose === 0) endAfter(lingerMs, constants.NGHTTP2_NO_ERROR);
  });
  stream.once('close', release);
}
