import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import Provider from 'oidc-provider';

const { clients } = workerData;
const server = createServer();

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients,
    cookies: { keys: ['only for tests'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: `Name of ${sub}`, email: `${sub}@example.org` }),
    }),
    // Whoever signs in has agreed to everything.
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/interaction/')) return provider.callback()(request, response);
    // Signs in whom the request names, without asking.
    return provider
      .interactionDetails(request, response)
      .then(({ params }) =>
        provider.interactionFinished(request, response, {
          login: { accountId: params.login_hint ?? 'ada' },
        }),
      )
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  parentPort.postMessage({ issuer });
});
