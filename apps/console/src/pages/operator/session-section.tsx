import type { Daycare } from '@daycare/client/browser';
import type { User } from '@daycare/contracts/identity';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../data/action';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Section } from '../../ui/layout';
import { SessionTable } from '../../ui/session-table';
import { EmptyState, Loaded } from '../../ui/states';
import { asOperator } from './operator-session';
import { usePolled } from './use-polled';

const maxShown = 200;

interface SessionSectionProps {
  readonly daycare: Daycare;
  /** Whose; those of operators without one. */
  readonly user: User | undefined;
  readonly onOperators: () => void;
}

/** The sessions of operators, or of a user who was chosen among the users. */
export function SessionSection({ daycare, user, onOperators }: SessionSectionProps) {
  const { identity } = daycare.rpc;
  const of = user && ({ $case: 'userId', value: user.id } as const);
  const sessions = usePolled(
    (signal) => identity.listSessions({ of, pageSize: maxShown, pageToken: '' }, { signal }),
    [daycare, user?.id],
  );
  const reload = (): void => void sessions.reload();
  const place = useRef<HTMLDivElement>(null);
  // They are below the list in which the user was chosen.
  useEffect(() => {
    if (user) place.current?.querySelector('h2')?.focus();
  }, [user?.id]);
  const end = (sessionId: string) => {
    const target = { $case: 'sessionId', value: sessionId } as const;
    return asOperator(() => identity.revokeSessions({ target }));
  };
  return (
    <div ref={place}>
      <Section
        title={user ? `Sessions of ${user.nametag}` : 'Sessions of operators'}
        actions={
          user && (
            <div class="section-actions">
              <Button kind="quiet" onClick={onOperators}>
                Show those of operators
              </Button>
              <EndAll {...{ daycare, user }} onEnded={reload} />
            </div>
          )
        }
      >
        <Loaded resource={sessions} lines={1}>
          {({ sessions: found, nextPageToken }) => (
            <>
              {found.length === 0 ? (
                <EmptyState title="No open sessions" />
              ) : (
                <SessionTable sessions={found} end={end} onEnded={reload} />
              )}
              {nextPageToken !== '' && (
                <p class="muted small">The first {maxShown} are shown; there are more.</p>
              )}
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

interface EndAllProps {
  readonly daycare: Daycare;
  readonly user: User;
  readonly onEnded: () => void;
}

function EndAll({ daycare, user: { id, nametag }, onEnded }: EndAllProps) {
  const end = useAction(async () => {
    const target = { $case: 'userId', value: id } as const;
    const { ended } = await asOperator(() => daycare.rpc.identity.revokeSessions({ target }));
    onEnded();
    return ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`;
  });
  return (
    <AskFirst
      action={end}
      title={`End all sessions of ${nametag}?`}
      text="Every browser and program in which they are signed in must sign in again."
      verb="End all"
    />
  );
}
