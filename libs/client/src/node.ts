import { connectAs, type ConnectOptions, type Daycare } from './connect';
import { atGateway, createGrpcTransport } from './transport/grpc-transport';

export * from './exports';

/** Connects over gRPC. Call `close` at the end: an open connection keeps the process running. */
export function connect(options: ConnectOptions): Daycare {
  return connectAs(createGrpcTransport(atGateway(options.url)), options);
}
