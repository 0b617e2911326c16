import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare, leave } from '../../data/client';
import { collectPages } from '../../data/paging/pages';
import { useResource } from '../../data/resource';
import { self } from '../../data/topology';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { Section } from '../../ui/layout';
import { SessionTable } from '../../ui/records/session-table';
import { TruncatedNotice, Loaded } from '../../ui/states';

/** The person's sessions. */
export function SessionsSection() {
  const [isAsking, setAsking] = useState(false);
  const sessions = useResource((signal) =>
    collectPages(async (page) => {
      const response = await daycare.rpc.identity.listSessions(
        { ...page, of: undefined },
        { signal },
      );
      return { items: response.sessions, nextPageToken: response.nextPageToken };
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
        text="You will be signed out of every browser and program, including this one. All your access tokens are revoked as well."
        verb="Sign out everywhere"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => void endAll.run()}
      />
      <Loaded resource={sessions} lines={2}>
        {({ items, hasMore }) => (
          <>
            <SessionTable
              sessions={items}
              endSession={async (sessionId) => {
                const target = { $case: 'sessionId', value: sessionId } as const;
                await daycare.rpc.identity.revokeSessions({ target });
                await sessions.reload();
              }}
            />
            <TruncatedNotice items={items} hasMore={hasMore} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
