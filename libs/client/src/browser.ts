import { connectAs, type ConnectOptions, type Daycare } from './connect';
import { createFetchTransport } from './transport/fetch-transport';

export * from './exports';

/** Connects by `fetch`, in browsers and wherever gRPC is not available. */
export function connect(options: ConnectOptions): Daycare {
  return connectAs(createFetchTransport(options.url), options);
}
