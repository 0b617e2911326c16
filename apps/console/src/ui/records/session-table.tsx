import type { Session } from '@daycare/contracts/identity';
import { useAction } from '../../data/action';
import { Button } from '../button';
import { Table, type Column } from '../table';
import { Clock, Time } from '../time/time';

interface SessionTableProps {
  readonly sessions: readonly Session[];
  /** Ends a session and resolves when that is done; undefined if sessions can only be viewed. */
  readonly endSession?: (sessionId: string) => Promise<unknown>;
}

/** A table of sessions. */
export function SessionTable({ sessions, endSession }: SessionTableProps) {
  const columns: readonly Column<Session>[] = [
    {
      title: 'Opened by',
      cell: ({ openedBy, agentId }) => (agentId === '' ? openedBy : `${openedBy}, for an agent`),
    },
    { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
    { title: 'Last renewed', cell: ({ refreshedAt }) => <Time at={refreshedAt} /> },
    { title: 'Expires', cell: ({ endsAt }) => <Clock at={endsAt} /> },
    ...(endSession
      ? [
          {
            title: 'Action',
            cell: (session: Session) => <EndSession {...{ session, endSession }} />,
          },
        ]
      : []),
  ];
  return <Table caption="Sessions" rows={sessions} keyOf={({ id }) => id} columns={columns} />;
}

interface EndSessionProps {
  readonly session: Session;
  readonly endSession: (sessionId: string) => Promise<unknown>;
}

function EndSession({ session: { id, openedBy, openedAt }, endSession }: EndSessionProps) {
  const ending = useAction(async () => {
    await endSession(id);
    return 'The session has ended.';
  });
  return (
    <Button kind="quiet" busy={ending.isBusy} onClick={() => void ending.run()}>
      End{' '}
      <span class="hidden">
        the session opened by {openedBy}, <Clock at={openedAt} />
      </span>
    </Button>
  );
}
