import { randomBytes } from 'node:crypto';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import type { ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { makeSignInPages } from './pages/sign-in-pages';
import { IdentityCalls } from './sessions/identity-calls';
import { makeOwnOrigin } from './sessions/own-origin';
import { RequestAuthority } from './sessions/request-authority';
import { SessionCookies } from './sessions/session-cookie';

const timeoutMs = 15_000;

/** Constructs the sign-in pages and the browser sessions. */
export function buildSessions(config: Config, { log, stop }: ServiceKit) {
  const { upstreams, tls, publicUrl, sessionKey } = config;
  if (sessionKey === undefined)
    log.warn('DAYCARE_GATEWAY_SESSION_KEY is not set; a restart signs all browsers out');
  const key = sessionKey ?? randomBytes(32).toString('base64url');
  const client = createRpcClient(IdentityServiceService, {
    address: upstreams.identity,
    credentials: channelCredentials(tls),
    timeoutMs,
  });
  stop.add('close', 'identity', async () => client.close());
  const ownOrigin = makeOwnOrigin(publicUrl);
  const deps = {
    identity: new IdentityCalls(client),
    cookies: new SessionCookies({ key }),
    ownOrigin,
  };
  return { authority: new RequestAuthority(deps), pages: makeSignInPages(deps) };
}
