import { randomBytes } from 'node:crypto';
import { AppError, FieldChecks, notFound } from '@daycare/api';
import {
  codeLifetimeMs,
  maxCodesPerUser,
  type SignInCode,
} from '../../domain/sign-in/sign-in-code';
import type { SignInCodeStore } from '../../store/sign-in/sign-in-code-store';
import type { UserStore } from '../../store/user-store';
import { holderOf, openUserSession, type OpenSessionDeps } from '../tokens/open-user-session';
import { hashOf } from '../tokens/refresh-secret';
import type { IssuedTokens } from '../tokens/token-mint';
import { openerOf, type SignedInPerson } from './signed-in-person';

export interface SignInCodesDeps extends OpenSessionDeps {
  readonly users: UserStore;
  readonly codes: SignInCodeStore;
  /** Whether a secret or provider is still configured. */
  readonly isInUse: (credentialId: string) => boolean;
}

/** Creates and exchanges codes, each of which signs a browser in only once. */
export function makeSignInCodes(deps: SignInCodesDeps) {
  const { users, codes, now } = deps;
  return {
    /** Creates a code: a person for themselves, an operator for any user. */
    async createSignInCode(creator: SignedInPerson, requestedUserId: string) {
      const userId = checkedUserId(creator, requestedUserId);
      const isAllowed = creator.kind === 'admin' || creator.userId === userId;
      const user = isAllowed ? await users.findById(userId) : undefined;
      if (!user) throw notFound('user');
      const opener = await openerOf(creator, deps.sessions);
      const code = `dcc_${randomBytes(32).toString('base64url')}`;
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + codeLifetimeMs);
      const { ownerId } = holderOf(user);
      const sessionId = creator.kind === 'person' ? creator.sessionId : undefined;
      const origin = { userId, ownerId, opener, sessionId };
      await codes.insert({ hash: hashOf(code), ...origin, createdAt, expiresAt }, maxCodesPerUser);
      return { code, expiresAt };
    },
    async exchangeSignInCode(code: string): Promise<IssuedTokens> {
      new FieldChecks().require(code !== '', 'code', 'is required').done();
      const taken = await codes.take(hashOf(code), now());
      const user = taken && (await users.findById(taken.userId));
      if (!user || !deps.isInUse(taken.opener.credentialId)) throw refused();
      if (!(await isCreatorSignedIn(deps, taken))) throw refused();
      return openUserSession(deps, holderOf(user), taken.opener);
    },
  };
}

/**
 * Reports whether the session in which a code was created is still open, because signing out must withdraw a person's
 * codes. Operators' codes do not depend on a session.
 */
async function isCreatorSignedIn(
  { sessions }: Pick<SignInCodesDeps, 'sessions'>,
  { sessionId }: SignInCode,
): Promise<boolean> {
  return sessionId === undefined || (await sessions.find(sessionId)) !== undefined;
}

function checkedUserId(creator: SignedInPerson, requested: string): string {
  if (creator.kind === 'person' && requested === '') return creator.userId;
  new FieldChecks().id(requested, 'user_id').done();
  return requested;
}

/**
 * The same error whether the code is unknown, expired or used, its user was deleted, its creator's session has ended,
 * or its opener is no longer configured.
 */
function refused(): AppError {
  return new AppError(
    'UNAUTHENTICATED',
    'The sign-in code is not valid: it can be used only once, within 15 minutes. Request another one',
  );
}
