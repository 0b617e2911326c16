import type { Daycare } from '@daycare/client/browser';
import type { User } from '@daycare/contracts/identity';
import { useRef, useState } from 'preact/hooks';
import { useDebounced } from '../../data/timing/debounced';
import { useReloadOn, useResource } from '../../data/resource';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { Badge, Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time/time';
import { asOperator } from './operator-session';

const pageSize = 50;

interface UserSectionProps {
  readonly daycare: Daycare;
  /** Shows the sessions of a user. */
  readonly onShowSessions: (user: User) => void;
}

/** Finds users by nametag. */
export function UserSection({ daycare, onShowSessions }: UserSectionProps) {
  const [prefix, setPrefix] = useState('');
  const debouncedPrefix = useDebounced(prefix);
  const latestPrefix = useRef(debouncedPrefix);
  latestPrefix.current = debouncedPrefix;
  const users = useResource(
    (signal) => {
      const request = { pageSize, pageToken: '', nametagPrefix: latestPrefix.current };
      return asOperator(() => daycare.rpc.identity.listUsers(request, { signal }));
    },
    [daycare],
  );
  useReloadOn(users, debouncedPrefix);
  return (
    <Section title="Users">
      <Field label="Nametag begins with" value={prefix} onValue={setPrefix} />
      <Loaded resource={users} lines={2}>
        {({ users: loaded, nextPageToken }) => (
          <>
            <Table
              caption="Users"
              rows={loaded}
              keyOf={({ id }) => id}
              columns={columnsFor(onShowSessions)}
            />
            {nextPageToken !== '' && (
              <p class="muted small">There are more. Enter the first letters of a nametag.</p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function columnsFor(onShowSessions: UserSectionProps['onShowSessions']): readonly Column<User>[] {
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
      title: 'Action',
      cell: (user) =>
        user.parentUserId === '' && (
          <Button kind="quiet" onClick={() => onShowSessions(user)}>
            Sessions <span class="hidden">of {user.nametag}</span>
          </Button>
        ),
    },
  ];
}
