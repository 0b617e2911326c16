import { createId } from '@daycare/api/create-id';
import {
  importSigningKey,
  signAccessToken,
  type Claims,
  type ServiceCredential,
  type SigningKey,
} from '@daycare/auth';
import type { ServiceName } from '@daycare/contracts/access';
import { tokenScopes, type TokenScope } from '@daycare/contracts/scopes';
import { decodeJwt, generateKeyPair } from 'jose';
import type { Person } from '../people/people';
import { issueServiceCredential } from '../people/service-credential';
import type { Stack } from '../stack/stack';

/** Callers of every kind, and invalid tokens. */
export interface Callers {
  /** Values of `authorization`, by the kind of caller or by what is wrong with the token. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly services: Readonly<Partial<Record<ServiceName, ServiceCredential>>>;
  readonly adaId: string;
}

/** The personal access tokens among the callers: the role in which each acts, and its scopes. */
export const personalTokens: Readonly<Record<string, { as: string; scopes: TokenScope[] }>> = {
  'read-only token for a subuser': { as: 'subuser', scopes: ['agents:read'] },
  'token with every scope': {
    as: 'user',
    scopes: tokenScopes.filter((scope) => scope !== 'admin'),
  },
  'admin token for an operator': { as: 'admin', scopes: ['admin'] },
};

export async function createCallers(stack: Stack): Promise<Callers> {
  const { people } = stack;
  const issueFor = async (userId: string, agentId = ''): Promise<string> =>
    `Bearer ${(await people.signInWithToken(userId, agentId)).token}`;
  const ada = await people.newPerson();
  const { id: subuserId } = await people.newSubuser(ada);
  const valid = {
    user: await issueFor(ada.id),
    subuser: await issueFor(subuserId),
    admin: await issueFor(''),
    agent: await issueFor(ada.id, 'someagent'),
  };
  const tokens = {
    ...valid,
    ...(await createPersonalTokens(stack, ada, subuserId)),
    ...(await signTokens(await loadSigningKey(stack), ada.id, valid.admin)),
  };
  return { tokens, services: await createServiceCredentials(stack), adaId: ada.id };
}

async function createServiceCredentials(stack: Stack): Promise<Callers['services']> {
  const services: Partial<Record<ServiceName, ServiceCredential>> = {};
  for (const service of ['social-graph', 'agent-runtime', 'topology'] as const)
    services[service] = await issueServiceCredential(stack, stack.identity, service);
  return services;
}

async function createPersonalTokens(
  { people, adminMetadata }: Stack,
  ada: Person,
  subuserId: string,
): Promise<Callers['tokens']> {
  const tokens: Record<string, string> = {};
  for (const [name, { as, scopes }] of Object.entries(personalTokens)) {
    const creator = as === 'admin' ? { as: { metadata: adminMetadata } } : ada;
    const bound = as === 'subuser' ? { subuserId } : {};
    tokens[name] = (await people.newAccessToken(creator, { scopes, ...bound })).authorization;
  }
  return tokens;
}

/** Loads identity's own key, so that the test can sign tokens that are invalid in a single respect. */
async function loadSigningKey(stack: Stack): Promise<SigningKey> {
  const stored = await stack
    .db('identity')
    .collection<{ _id: string; privateJwk: object }>('signing_keys')
    .findOne({});
  return importSigningKey(stored!._id, stored!.privateJwk);
}

/** Signs a client's token, and tokens that are each invalid for a single reason. */
async function signTokens(
  signing: SigningKey,
  userId: string,
  adminToken: string,
): Promise<Callers['tokens']> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  // The shared stack has no client credentials, but every token needs the id of an existing credential.
  const credentialId = String(decodeJwt(adminToken.slice('Bearer '.length))['by']);
  const claims: Claims = {
    kind: 'user',
    userId,
    sessionId: createId(),
    tokenId: createId(),
    credentialId,
    issuedAt: Date.now() / 1000,
    expiresAt: nowSeconds + 600,
  };
  const { tokenId, issuedAt, expiresAt } = claims;
  const commonClaims = { tokenId, credentialId, issuedAt, expiresAt };
  const client: Claims = { kind: 'client', name: 'telegram', ...commonClaims };
  const longAgo = nowSeconds - 3_600;
  const expired = { ...claims, issuedAt: longAgo, expiresAt: longAgo + 60 };
  const { privateKey } = await generateKeyPair('EdDSA');
  const forgedKey = { id: signing.id, privateKey };
  const [, payload] = (await signAccessToken(claims, signing)).split('.');
  const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  return {
    client: `Bearer ${await signAccessToken(client, signing)}`,
    expired: `Bearer ${await signAccessToken(expired, signing)}`,
    'unknown key': `Bearer ${await signAccessToken(claims, forgedKey)}`,
    'alg none': `Bearer ${header}.${payload!}.`,
  };
}
