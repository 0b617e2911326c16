import type { Daycare } from '@daycare/client/browser';
import type { User } from '@daycare/contracts/identity';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button';
import { Section } from '../../ui/layout';
import { SessionTable } from '../../ui/records/session-table';
import { EmptyState, Loaded } from '../../ui/states';
import { usePolled } from './use-polled';

const maxShown = 200;

interface SessionSectionProps {
  readonly daycare: Daycare;
  /** The user whose sessions are shown; undefined for the operators' own sessions. */
  readonly user: User | undefined;
  readonly onShowOperators: () => void;
}

/**
 * The operators' sessions, or those of a user selected in the list of users. They cannot be ended here, because this
 * page uses an access token, which must not end sessions.
 */
export function SessionSection({ daycare, user, onShowOperators }: SessionSectionProps) {
  const of = user && ({ $case: 'userId', value: user.id } as const);
  const request = { of, pageSize: maxShown, pageToken: '' };
  const sessions = usePolled(
    (signal) => daycare.rpc.identity.listSessions(request, { signal }),
    [daycare, user?.id],
  );
  const container = useRef<HTMLDivElement>(null);
  // Moves the focus, because the sessions are below the list in which the user was selected.
  useEffect(() => {
    if (user) container.current?.querySelector('h2')?.focus();
  }, [user?.id]);
  return (
    <div ref={container}>
      <Section
        title={user ? `Sessions of ${user.nametag}` : 'Operators’ sessions'}
        actions={user && <Button onClick={onShowOperators}>Show operators’ sessions</Button>}
      >
        <Loaded resource={sessions} lines={1}>
          {({ sessions: loaded, nextPageToken }) => (
            <>
              {loaded.length === 0 ? (
                <EmptyState title="No open sessions" />
              ) : (
                <SessionTable sessions={loaded} />
              )}
              <p class="muted small">
                {nextPageToken !== '' && `The first ${maxShown} are shown; there are more. `}
                {user && loaded.length > 0 && (
                  <>
                    To end all sessions of {user.nametag}, run{' '}
                    <code>daycare session revoke --user {user.id}</code>.
                  </>
                )}
              </p>
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}
