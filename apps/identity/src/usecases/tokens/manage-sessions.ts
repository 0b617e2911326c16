import { FieldChecks, notFound, readPageToken } from '@daycare/api';
import { readSessionPosition, toSessionToken } from '../../domain/session-position';
import type { Session } from '../../domain/session';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import type { SignInCodeStore } from '../../store/sign-in/sign-in-code-store';
import type { SessionFilter } from '../../store/session-store';
import type { UserStore } from '../../store/user-store';
import { endPersonalTokens } from './end-personal-tokens';
import { endSessions, lastExpiry, type EndSessionsDeps } from './end-sessions';

export interface ManageSessionsDeps extends EndSessionsDeps {
  readonly users: UserStore;
  readonly personalTokens: PersonalTokenStore;
  readonly codes: SignInCodeStore;
  /**
   * The ids of the secrets of `admin`, a client or a service, or of the provider `oidc:<name>`; none for other names.
   */
  readonly credentialIdsOf: (name: string) => readonly string[];
}

/** Who manages sessions: operators manage all sessions, people their own and their subusers'. */
export type SessionManager =
  | { readonly kind: 'admin' }
  | { readonly kind: 'person'; readonly userId: string };

export type SessionTarget =
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'credential'; readonly name: string }
  | { readonly kind: 'session'; readonly sessionId: string };

export interface ListSessionsCommand {
  readonly manager: SessionManager;
  /** Undefined for the manager's own sessions. */
  readonly target: Exclude<SessionTarget, { kind: 'session' }> | undefined;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** How much the clocks of replicas may differ: tokens dated up to this long after a revocation are revoked, too. */
const clockSkewMs = 2_000;
const batchSize = 1_000;

/** Lists and ends sessions. Other people's sessions cause the same error as sessions that do not exist. */
export function makeManageSessions(deps: ManageSessionsDeps) {
  const { users, sessions, revocations, now } = deps;

  const filterOf = async (
    manager: SessionManager,
    requested: ListSessionsCommand['target'],
  ): Promise<SessionFilter> => {
    const target = requested ?? ownTarget(manager);
    if (target.kind === 'credential') {
      if (manager.kind !== 'admin') throw notFound('credential');
      return { openedBy: target.name };
    }
    new FieldChecks().id(target.userId, 'user_id').done();
    const user = await users.findById(target.userId);
    const isAllowed = manager.kind === 'admin' || manager.userId === user?.id;
    if (!user || !isAllowed) throw notFound('user');
    return user.parentUserId === undefined
      ? { ownerId: user.id }
      : { ownerId: user.parentUserId, userId: user.id };
  };

  /** Ends all matching sessions, in batches. */
  const endAll = async (filter: SessionFilter): Promise<number> => {
    let ended = 0;
    for (;;) {
      const batch = await sessions.list(filter, undefined, batchSize);
      await endSessions(deps, batch);
      ended += batch.length;
      if (batch.length < batchSize) return ended;
    }
  };

  const endOne = async (manager: SessionManager, sessionId: string): Promise<number> => {
    new FieldChecks().id(sessionId, 'session_id').done();
    const session = await sessions.find(sessionId);
    const isAllowed = manager.kind === 'admin' || ownerOf(session) === manager.userId;
    if (!session || !isAllowed) throw notFound('session');
    await endSessions(deps, [session]);
    return 1;
  };

  const revokeTokensIssuedBy = async (name: string): Promise<void> => {
    const expiresAt = await lastExpiry(deps);
    const issuedBefore = new Date(now().getTime() + clockSkewMs);
    const ids = deps.credentialIdsOf(name).map((id) => `credential:${id}`);
    await revocations.add(ids.map((id) => ({ id, expiresAt, issuedBefore })));
  };

  /**
   * A secret may have opened any number of sessions, so one entry per secret revokes all their tokens. The entries are
   * added at the start and again after all sessions are removed, because a session may be refreshed until its removal.
   */
  const endAllOpenedBy = async (name: string): Promise<number> => {
    await revokeTokensIssuedBy(name);
    await deps.codes.removeByOpener(name);
    const endedSessions = await sessions.removeByOpener(name);
    const endedTokens = await deps.personalTokens.removeByOpener(name);
    await revokeTokensIssuedBy(name);
    return endedSessions + endedTokens;
  };

  return {
    async listSessions(command: ListSessionsCommand) {
      const checks = new FieldChecks();
      const size = checks.pageSize(command.pageSize);
      const after = readPageToken(command.pageToken, checks, readSessionPosition);
      checks.done();
      const filter = await filterOf(command.manager, command.target);
      const found = await sessions.list(filter, after, size + 1);
      const page = found.slice(0, size);
      const last = page.at(-1);
      const nextPageToken = last && found.length > size ? toSessionToken(last) : '';
      return { sessions: page, nextPageToken };
    },
    /**
     * Returns how many sessions and, for a user or a credential, personal access tokens were ended. Unused sign-in
     * codes of that user or credential end, too, but are not counted.
     */
    async revokeSessions(manager: SessionManager, target: SessionTarget): Promise<number> {
      if (target.kind === 'session') return endOne(manager, target.sessionId);
      const filter = await filterOf(manager, target);
      if ('openedBy' in filter) return endAllOpenedBy(filter.openedBy);
      // Removed first, because a code could open another session.
      await deps.codes.removeByOwner(filter);
      return (await endAll(filter)) + (await endPersonalTokens(deps, filter));
    },
  };
}

function ownTarget(manager: SessionManager): NonNullable<ListSessionsCommand['target']> {
  return manager.kind === 'person'
    ? { kind: 'user', userId: manager.userId }
    : { kind: 'credential', name: 'admin' };
}

function ownerOf(session: Session | undefined): string | undefined {
  return session?.holder.kind === 'user' ? session.holder.ownerId : undefined;
}
