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
  });
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/interaction/')) return provider.callback()(request, response);
    return finish(provider, request, response).catch((error) =>
      response.writeHead(500).end(String(error)),
    );
  });
  parentPort.postMessage({ issuer });
});

/** Signs in the user whom `login_hint` names, or `ada`, and grants all three scopes, without showing a page. */
async function finish(provider, request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  const result =
    prompt.name === 'login'
      ? { login: { accountId: params.login_hint ?? 'ada' } }
      : { consent: { grantId: await grantAll(provider, params.client_id, session.accountId) } };
  await provider.interactionFinished(request, response, result);
}

function grantAll(provider, clientId, accountId) {
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope('openid profile email');
  return grant.save();
}
