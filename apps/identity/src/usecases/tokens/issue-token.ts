import { FieldChecks, notFound } from '@daycare/api';
import type { SessionOpener } from '../../domain/session';
import type { User } from '../../domain/user';
import type { ConnectorKeyStore } from '../../store/connector-key-store';
import type { UserStore } from '../../store/user-store';
import { holderOf, openUserSession, type OpenSessionDeps } from './open-user-session';
import type { IssuedTokens, TokenMint } from './token-mint';

/** A caller that requests a token, and the id of the secret that it uses or with which its own token was requested. */
export type TokenRequester = { readonly credentialId: string } & (
  | { readonly kind: 'admin' }
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'service'; readonly service: string }
);

export interface IssueTokenCommand {
  readonly requester: TokenRequester;
  readonly userId: string;
  readonly agentId: string;
  readonly publicKeyJwk: string;
}

export interface IssueTokenDeps extends OpenSessionDeps {
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
}

/** Exchanges a credential for a token, either for the credential's holder or for a user for whom the holder may act. */
export function makeIssueToken(deps: IssueTokenDeps) {
  const { users, connectorKeys, mint } = deps;
  const mayActFor = async (
    requester: TokenRequester,
    { id, parentUserId }: User,
  ): Promise<boolean> => {
    if (requester.kind === 'admin') return true;
    if (requester.kind === 'service') return false;
    const personId = parentUserId ?? id;
    return (
      (await users.wasCreatedBy(personId, `client:${requester.name}`)) ||
      (await connectorKeys.hasKey(requester.name, personId))
    );
  };
  return async (command: IssueTokenCommand): Promise<IssuedTokens> => {
    const { requester, userId, agentId } = command;
    if (userId === '') return issueToHolder(mint, command);
    const checks = new FieldChecks().id(userId, 'user_id');
    if (agentId !== '') checks.id(agentId, 'agent_id');
    checks.done();
    const user = await users.findById(userId);
    if (!user || !(await mayActFor(requester, user))) throw notFound('user');
    const holder = holderOf(user, agentId || undefined);
    return openUserSession(deps, holder, openerOf(requester));
  };
}

function openerOf(requester: TokenRequester): SessionOpener {
  const name = requester.kind === 'client' ? requester.name : 'admin';
  return { name, credentialId: requester.credentialId };
}

async function issueToHolder(mint: TokenMint, command: IssueTokenCommand): Promise<IssuedTokens> {
  const { requester, publicKeyJwk } = command;
  switch (requester.kind) {
    case 'admin':
      return mint.openSession({ kind: 'admin' }, openerOf(requester));
    case 'service':
      return mint.issueToService(
        requester.service,
        readPublicKey(publicKeyJwk),
        requester.credentialId,
      );
    case 'client':
      return mint.issueToClient(requester.name, requester.credentialId);
  }
}

function readPublicKey(text: string): object {
  let jwk: { kty?: unknown; crv?: unknown; x?: unknown; d?: unknown } = {};
  try {
    jwk = JSON.parse(text) as typeof jwk;
  } catch {
    // Refused below, like any other text that is not a key.
  }
  const { kty, crv, x, d } = jwk;
  const isPublicKey =
    kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && d === undefined;
  const description = 'must be a public Ed25519 key as a JSON Web Key';
  new FieldChecks().require(isPublicKey, 'public_key_jwk', description).done();
  return { kty, crv, x };
}
