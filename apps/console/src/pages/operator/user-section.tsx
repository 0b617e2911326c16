import type { Daycare } from '@daycare/client/browser';
import type { User } from '@daycare/contracts/identity';
import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { useDebounced } from '../../data/timing/debounced';
import { useReloadOn, useResource } from '../../data/resource';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { Badge, Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { asOperator } from './operator-session';

const pageSize = 50;

/** Finds users by nametag and ends their sessions. */
export function UserSection({ daycare }: { readonly daycare: Daycare }) {
  const [prefix, setPrefix] = useState('');
  const wanted = useDebounced(prefix);
  const latest = useRef(wanted);
  latest.current = wanted;
  const users = useResource(
    (signal) => {
      const request = { pageSize, pageToken: '', nametagPrefix: latest.current };
      return asOperator(() => daycare.rpc.identity.listUsers(request, { signal }));
    },
    [daycare],
  );
  useReloadOn(users, wanted);
  return (
    <Section title="Users">
      <Field label="Nametag begins with" value={prefix} onValue={setPrefix} />
      <Loaded resource={users} lines={2}>
        {({ users: found, nextPageToken }) => (
          <>
            <Table
              caption="Users"
              rows={found}
              keyOf={({ id }) => id}
              columns={columnsFor(daycare)}
            />
            {nextPageToken !== '' && (
              <p class="muted small">There are more; enter how the nametag begins.</p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function columnsFor(daycare: Daycare): readonly Column<User>[] {
  return [
    {
      title: 'Nametag',
      cell: ({ nametag, parentUserId }) => (
        <>
          <code>{nametag}</code> {parentUserId !== '' && <Badge>Subuser</Badge>}
        </>
      ),
    },
    { title: 'Id', cell: ({ id }) => <code>{id}</code> },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Sessions',
      cell: ({ id, nametag, parentUserId }) =>
        parentUserId === '' && <Sessions {...{ daycare, nametag }} userId={id} />,
    },
  ];
}

interface SessionsProps {
  readonly daycare: Daycare;
  readonly userId: string;
  readonly nametag: string;
}

function Sessions({ daycare, userId, nametag }: SessionsProps) {
  const [count, setCount] = useState<number | undefined>(undefined);
  const { identity } = daycare.rpc;
  const show = useAction(async () => {
    const of = { $case: 'userId', value: userId } as const;
    const request = { of, pageSize: 1_000, pageToken: '' };
    const { sessions } = await asOperator(() => identity.listSessions(request));
    setCount(sessions.length);
    return undefined;
  });
  const end = useAction(async () => {
    const target = { $case: 'userId', value: userId } as const;
    const { ended } = await asOperator(() => identity.revokeSessions({ target }));
    setCount(0);
    return ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`;
  });
  if (count === undefined)
    return (
      <Button kind="quiet" busy={show.isBusy} onClick={() => void show.run()}>
        Count <span class="hidden">of {nametag}</span>
      </Button>
    );
  return (
    <>
      {count}{' '}
      {count > 0 && (
        <AskFirst
          action={end}
          title={`End all sessions of ${nametag}?`}
          text="Every browser and program in which they are signed in must sign in again."
          verb="End all"
        >
          End all <span class="hidden">of {nametag}</span>
        </AskFirst>
      )}
    </>
  );
}
