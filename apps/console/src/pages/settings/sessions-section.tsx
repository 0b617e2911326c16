import type { Session } from '@daycare/contracts/identity';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare, leave } from '../../data/client';
import { collectPages } from '../../data/paging/pages';
import { useResource } from '../../data/resource';
import { self } from '../../data/topology';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Clock, Time } from '../../ui/time';

/** Where I am signed in. */
export function SessionsSection() {
  const [isAsking, setAsking] = useState(false);
  const sessions = useResource((signal) =>
    collectPages(async (page) => {
      const answer = await daycare.rpc.identity.listSessions(
        { ...page, of: undefined },
        { signal },
      );
      return { items: answer.sessions, nextPageToken: answer.nextPageToken };
    }, 200),
  );
  const endAll = useAction(async () => {
    const userId = self.peek()?.userId ?? '';
    await daycare.rpc.identity.revokeSessions({ target: { $case: 'userId', value: userId } });
    leave();
    return undefined;
  });
  return (
    <Section
      title="Sessions"
      actions={
        <Button kind="danger" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <Confirm
        title="Sign out everywhere?"
        text="You will be signed out of every browser and program, including this one. Access tokens stay valid."
        verb="Sign out everywhere"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => void endAll.run()}
      />
      <Loaded resource={sessions} lines={2}>
        {({ items }) => (
          <Table
            caption="Sessions"
            rows={items}
            keyOf={({ id }) => id}
            columns={columnsFor(() => void sessions.reload())}
          />
        )}
      </Loaded>
    </Section>
  );
}

function columnsFor(onEnded: () => void): readonly Column<Session>[] {
  return [
    {
      title: 'Opened by',
      cell: ({ openedBy, agentId }) => (agentId === '' ? openedBy : `${openedBy}, for an agent`),
    },
    { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
    { title: 'Last renewed', cell: ({ refreshedAt }) => <Time at={refreshedAt} /> },
    { title: 'Expires', cell: ({ endsAt }) => <Clock at={endsAt} /> },
    { title: 'Action', cell: (session) => <EndSession session={session} onEnded={onEnded} /> },
  ];
}

function EndSession({
  session: { id: sessionId, openedBy, openedAt },
  onEnded,
}: {
  readonly session: Session;
  readonly onEnded: () => void;
}) {
  const end = useAction(async () => {
    await daycare.rpc.identity.revokeSessions({ target: { $case: 'sessionId', value: sessionId } });
    onEnded();
    return 'The session has ended.';
  });
  return (
    <Button kind="quiet" busy={end.isBusy} onClick={() => void end.run()}>
      End{' '}
      <span class="hidden">
        the session of {openedBy}, opened <Clock at={openedAt} />
      </span>
    </Button>
  );
}
