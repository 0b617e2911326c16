import { constants, type Http2ServerRequest } from 'node:http2';

/** Ends a request over HTTP/2 that has not been received as a whole in time. Its response may take longer. */
export function boundBody(request: Http2ServerRequest, requestMs: number): void {
  if (request.stream.endAfterHeaders) return;
  const timer = setTimeout(() => {
    if (request.stream.state.remoteClose === 0) request.stream.close(constants.NGHTTP2_CANCEL);
  }, requestMs);
  const release = (): void => clearTimeout(timer);
  request.once('end', release);
  request.stream.once('close', release);
}
