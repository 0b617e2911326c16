import type { ConnectError } from '@connectrpc/connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { trailerFlag, trailerSerialize } from '@connectrpc/connect/protocol-grpc-web';
import type { GatewayResponse } from '../http/gateway-request';
import { frame } from './envelopes';
import type { WireHeaders } from './exchange';

/** gRPC or gRPC-Web, which differ in how a call's status is sent. */
export interface GrpcFormat {
  readonly contentType: string;
  /** Whether calls in this format are handled here only over HTTP/2, because their status is sent in the trailers. */
  readonly needsHttp2: boolean;
  /** Ends a response with its last bytes and the call's status: `error`, or OK. */
  end(response: GatewayResponse, bytes: Buffer | undefined, error?: ConnectError): void;
}

export const grpcHeaders: WireHeaders = {
  encoding: 'grpc-encoding',
  acceptEncoding: 'grpc-accept-encoding',
};

const ok = { 'grpc-status': '0' };

/** Sends the status in the HTTP trailers. */
const grpc: GrpcFormat = {
  contentType: 'application/grpc+proto',
  needsHttp2: true,
  end(response, bytes, error) {
    // Without a body, Node would send the headers as the end of the response.
    if (!bytes && !response.headersSent) response.writeHead(200);
    response.addTrailers(error ? Object.fromEntries(setTrailerStatus(new Headers(), error)) : ok);
    endWith(response, bytes);
  },
};

const okFrame = frame(trailerFlag, trailerSerialize(new Headers(ok)));

/** Sends the status as the last message, because browsers do not expose trailers to scripts. */
const grpcWeb: GrpcFormat = {
  contentType: 'application/grpc-web+proto',
  needsHttp2: false,
  end(response, bytes, error) {
    const last = error
      ? frame(trailerFlag, trailerSerialize(setTrailerStatus(new Headers(), error)))
      : okFrame;
    endWith(response, bytes ? Buffer.concat([bytes, last]) : last);
  },
};

/** The formats by content type. JSON is left out, because only protobuf messages can be forwarded unchanged. */
export const grpcFormats: ReadonlyMap<string, GrpcFormat> = new Map([
  ['application/grpc', grpc],
  ['application/grpc+proto', grpc],
  ['application/grpc-web', grpcWeb],
  ['application/grpc-web+proto', grpcWeb],
]);

function endWith(response: GatewayResponse, bytes: Buffer | undefined): void {
  (response.end as (bytes?: Buffer) => void).call(response, bytes);
}
