import type { Daycare } from '@daycare/client/browser';
import type { DeadLetter } from '@daycare/contracts/agent-runtime';
import { useAction } from '../../data/action';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { asOperator } from './operator-session';
import { usePolled } from './use-polled';

const request = { pageSize: 100, pageToken: '', agentId: '' };

/** What agents of any user could not handle; texts stay with their users. */
export function DeadLetterSection({ daycare }: { readonly daycare: Daycare }) {
  const letters = usePolled(
    async (signal) =>
      (await daycare.rpc.agentRuntime.listDeadLetters(request, { signal })).deadLetters,
    [daycare],
  );
  return (
    <Section title="Dead letters">
      <Loaded resource={letters} lines={1}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState title="No dead letters" />
          ) : (
            <Table
              caption="Dead letters"
              rows={found}
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
    { title: 'Given up', cell: ({ deadAt }) => <Time at={deadAt} /> },
    { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
    { title: 'Reason', cell: ({ reason }) => reason },
    { title: 'Action', cell: (letter) => <Actions {...{ daycare, letter, onChanged }} /> },
  ];
}

interface ActionsProps {
  readonly daycare: Daycare;
  readonly letter: DeadLetter;
  readonly onChanged: () => void;
}

function Actions({ daycare, letter: { id: deadLetterId, agentId }, onChanged }: ActionsProps) {
  const { agentRuntime } = daycare.rpc;
  const retry = useAction(async (requestId) => {
    await asOperator(() => agentRuntime.retryDeadLetter({ requestId, deadLetterId }));
    onChanged();
    return 'Put back in the agent’s inbox.';
  });
  const remove = useAction(async (requestId) => {
    await asOperator(() => agentRuntime.deleteDeadLetter({ requestId, deadLetterId }));
    onChanged();
    return 'Deleted.';
  });
  return (
    <>
      {agentId !== '' && (
        <Button kind="quiet" busy={retry.isBusy} onClick={() => void retry.run()}>
          Try again <span class="hidden">{deadLetterId}</span>
        </Button>
      )}
      <AskFirst
        action={remove}
        title="Delete this message?"
        text="Its agent never receives it. This cannot be undone."
        verb="Delete"
        kind="quiet"
      >
        Delete <span class="hidden">{deadLetterId}</span>
      </AskFirst>
    </>
  );
}
