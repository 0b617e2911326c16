import type { Session } from '@daycare/contracts/identity';
import { useAction } from '../data/action';
import { Button } from './button';
import { Table, type Column } from './table';
import { Clock, Time } from './time';

interface SessionTableProps {
  readonly sessions: readonly Session[];
  /** Ends one; resolves when that is done. */
  readonly end: (sessionId: string) => Promise<unknown>;
  readonly onEnded: () => void;
}

/** Where someone is signed in. */
export function SessionTable({ sessions, end, onEnded }: SessionTableProps) {
  const columns: readonly Column<Session>[] = [
    {
      title: 'Opened by',
      cell: ({ openedBy, agentId }) => (agentId === '' ? openedBy : `${openedBy}, for an agent`),
    },
    { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
    { title: 'Last renewed', cell: ({ refreshedAt }) => <Time at={refreshedAt} /> },
    { title: 'Expires', cell: ({ endsAt }) => <Clock at={endsAt} /> },
    { title: 'Action', cell: (session) => <EndSession {...{ session, end, onEnded }} /> },
  ];
  return <Table caption="Sessions" rows={sessions} keyOf={({ id }) => id} columns={columns} />;
}

interface EndSessionProps extends Omit<SessionTableProps, 'sessions'> {
  readonly session: Session;
}

function EndSession({ session: { id, openedBy, openedAt }, end, onEnded }: EndSessionProps) {
  const ending = useAction(async () => {
    await end(id);
    onEnded();
    return 'The session has ended.';
  });
  return (
    <Button kind="quiet" busy={ending.isBusy} onClick={() => void ending.run()}>
      End{' '}
      <span class="hidden">
        the session of {openedBy}, opened <Clock at={openedAt} />
      </span>
    </Button>
  );
}
