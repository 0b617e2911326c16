import type { Daycare } from '@daycare/client/browser';
import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { DeadLetterActions } from '../../ui/records/dead-letter-actions';
import { Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time/time';
import { asOperator } from './operator-session';
import { usePolled } from './use-polled';

const request = { pageSize: 100, pageToken: '', agentId: '' };

/**
 * The latest dead letters of all users. Their text is not shown, because only the users themselves may read it.
 */
export function DeadLetterSection({ daycare }: { readonly daycare: Daycare }) {
  const letters = usePolled(
    async (signal) =>
      (await daycare.rpc.agentRuntime.listDeadLetters(request, { signal })).deadLetters,
    [daycare],
  );
  return (
    <Section title="Dead letters">
      <Loaded resource={letters} lines={1}>
        {(loaded) =>
          loaded.length === 0 ? (
            <EmptyState title="No dead letters" />
          ) : (
            <Table
              caption="Dead letters"
              rows={loaded}
              keyOf={({ id }) => id}
              columns={columnsFor(daycare, () => void letters.reload())}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsFor(daycare: Daycare, onChanged: () => void): readonly Column<DeadLetter>[] {
  return [
    { title: 'User', cell: ({ userId }) => <code>{userId}</code> },
    { title: 'Abandoned', cell: ({ deadAt }) => <Time at={deadAt} /> },
    { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
    { title: 'Reason', cell: ({ reason }) => reason },
    {
      title: 'Action',
      cell: ({ id, agentId }) => (
        <DeadLetterActions
          {...{ daycare, onChanged }}
          deadLetterId={id}
          subject={id}
          canRetry={agentId !== ''}
          call={asOperator}
          isQuiet
        />
      ),
    },
  ];
}
