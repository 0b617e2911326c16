import { connectWithToken, type ConnectOptions, type Daycare } from './connect';
import { createGrpcTransport, gatewayOptions } from './transport/grpc-transport';

export * from './exports';

/** Connects over gRPC. Call `close` at the end, because an open connection keeps the process running. */
export function connect(options: ConnectOptions): Daycare {
  return connectWithToken(createGrpcTransport(gatewayOptions(options.url)), options);
}
