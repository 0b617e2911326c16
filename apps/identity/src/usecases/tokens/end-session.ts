import type { RevocationStore } from '../../store/revocation-store';
import type { SessionStore } from '../../store/session-store';

export interface EndSessionDeps {
  readonly sessions: SessionStore;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
  readonly accessLifetimeMs: number;
}

/** Revokes the access tokens of a session, then removes it together with its refresh tokens. */
export async function endSession(
  { sessions, revocations, now, accessLifetimeMs }: EndSessionDeps,
  sessionId: string,
): Promise<void> {
  const expiresAt = new Date(now().getTime() + accessLifetimeMs);
  await revocations.add([{ id: sessionId, expiresAt }]);
  await sessions.remove(sessionId);
}
