import { invalidField } from '@daycare/api';
import type {
  IdentityServiceService,
  Session as SessionMessage,
} from '@daycare/contracts/identity';
import { requireUser, type Caller, type Handlers } from '@daycare/rpc';
import type { Session } from '../domain/session';
import type { TokenUsecases } from '../usecases';
import type { SessionManager } from '../usecases/tokens/manage-sessions';

type SessionHandlers = Pick<
  Handlers<typeof IdentityServiceService>,
  'listSessions' | 'revokeSessions'
>;

/** The handlers for sessions. */
export function sessionHandlers(tokens: TokenUsecases): SessionHandlers {
  return {
    listSessions: async ({ of, pageSize, pageToken }, { caller }) => {
      const page = await tokens.listSessions({
        manager: managerOf(caller),
        target: of && targetOf(of),
        pageSize,
        pageToken,
      });
      return { ...page, sessions: page.sessions.map(toMessage) };
    },
    revokeSessions: async ({ target }, { caller }) => {
      if (!target)
        throw invalidField('user_id', 'is required, unless a credential or a session id is given');
      const chosen =
        target.$case === 'sessionId'
          ? ({ kind: 'session', sessionId: target.value } as const)
          : targetOf(target);
      return { ended: await tokens.revokeSessions(managerOf(caller), chosen) };
    },
  };
}

function targetOf({ $case, value }: { $case: 'userId' | 'credential'; value: string }) {
  return $case === 'userId'
    ? ({ kind: 'user', userId: value } as const)
    : ({ kind: 'credential', name: value } as const);
}

function managerOf(caller: Caller): SessionManager {
  return caller.kind === 'admin'
    ? { kind: 'admin' }
    : { kind: 'person', userId: requireUser(caller).userId };
}

function toMessage(session: Session): SessionMessage {
  const { id, holder, opener, openedAt, rotatedAt: refreshedAt, expiresAt, endsAt } = session;
  const { userId = '', agentId = '' } = holder.kind === 'user' ? holder : {};
  return { id, userId, agentId, openedBy: opener.name, openedAt, refreshedAt, expiresAt, endsAt };
}
