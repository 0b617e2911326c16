import { connectBy, type ConnectOptions, type Daycare } from './connect';
import { createGrpcTransport } from './transport/grpc-transport';

export * from './exports';

/** Connects over gRPC. Call `close` at the end: an open connection keeps the process running. */
export function connect(options: ConnectOptions): Daycare {
  return connectBy(createGrpcTransport(options.url), options);
}
