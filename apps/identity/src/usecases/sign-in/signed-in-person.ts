import { AppError } from '@daycare/api';
import type { SessionOpener } from '../../domain/session';
import type { SessionStore } from '../../store/session-store';

/** Someone who signed in, and may let a program or a browser act in their place. */
export type SignedInPerson =
  | { readonly kind: 'person'; readonly userId: string; readonly sessionId: string }
  | { readonly kind: 'admin'; readonly credentialId: string };

/**
 * Returns the secret or provider with which a person signed in. When it is no longer configured, everything that the
 * person created with it ends. Throws UNAUTHENTICATED if the person's session has ended.
 */
export async function openerOf(
  person: SignedInPerson,
  sessions: Pick<SessionStore, 'find'>,
): Promise<SessionOpener> {
  if (person.kind === 'admin') return { name: 'admin', credentialId: person.credentialId };
  const session = await sessions.find(person.sessionId);
  if (session) return session.opener;
  throw new AppError('UNAUTHENTICATED', 'Your sign-in has ended; sign in again');
}
