import { connectWithToken, type ConnectOptions, type Daycare } from './connect';
import { createFetchTransport } from './transport/fetch-transport';

export * from './exports';

export interface BrowserConnectOptions extends ConnectOptions {
  /**
   * For the gateway's own pages, which use the browser's session: the id of the user to whom the session must
   * belong. Once someone else has signed in, calls are refused with UNAUTHENTICATED and with `session:
   * 'another_user'` in the error's metadata.
   */
  readonly expectedUser?: string;
}

/** Connects with `fetch`, in browsers and wherever gRPC is not available. */
export function connect({ url, expectedUser, ...options }: BrowserConnectOptions): Daycare {
  const headers = expectedUser ? { 'x-expected-user': expectedUser } : {};
  return connectWithToken(createFetchTransport(url, { headers }), options);
}
