import { TieState, type Friend } from '@daycare/contracts/social-graph';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { readFriends, type FriendLists } from '../../data/friends';
import { reloadMs, useReloadOn, useResource } from '../../data/resource';
import { self, topology } from '../../data/topology';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { Badge, Card, PageHead, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Time } from '../../ui/time/time';
import { FriendRequestCard } from '../inbox/friend-cards';
import { AddFriend } from './add-friend';

/** Friends, requests in both directions, and blocks. */
export function FriendsPage() {
  const lists = useResource(readFriends);
  useReloadOn(lists, topology.value?.revision, reloadMs);
  return (
    <>
      <PageHead
        title="Friends"
        about={
          <>
            You are <strong>{self.value?.nametag ?? '…'}</strong>. Anyone who knows your nametag can
            send you a friend request.
          </>
        }
      />
      <AddFriend onAdded={() => void lists.reload()} />
      <Loaded resource={lists}>
        {(value) => <Lists lists={value} onChanged={() => void lists.reload()} />}
      </Loaded>
    </>
  );
}

function Lists({
  lists: { friends, requests, blocks },
  onChanged,
}: {
  readonly lists: FriendLists;
  readonly onChanged: () => void;
}) {
  const incoming = requests.filter(({ state }) => state === TieState.PENDING_IN);
  const outgoing = requests.filter(({ state }) => state === TieState.PENDING_OUT);
  return (
    <>
      {incoming.length > 0 && (
        <Section title="Waiting for you" count={incoming.length}>
          <ul class="cards">
            {incoming.map((request) => (
              <li key={request.nametag}>
                <FriendRequestCard request={request} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Your friends" {...(friends.length > 0 && { count: friends.length })}>
        {friends.length === 0 ? <NoFriends /> : <FriendList friends={friends} />}
      </Section>
      {outgoing.length > 0 && (
        <Section title="Waiting for them" count={outgoing.length}>
          <ul class="cards">
            {outgoing.map(({ nametag, since }) => (
              <li key={nametag}>
                <Card actions={<Withdraw nametag={nametag} onChanged={onChanged} />}>
                  <strong>{nametag}</strong>{' '}
                  <span class="muted">
                    asked <Time at={since} />
                  </span>
                </Card>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {blocks.length > 0 && (
        <Section title="Blocked" count={blocks.length}>
          <ul class="cards">
            {blocks.map(({ nametag, since }) => (
              <li key={nametag}>
                <Card actions={<Unblock nametag={nametag} onChanged={onChanged} />}>
                  <strong>{nametag}</strong>{' '}
                  <span class="muted">
                    since <Time at={since} />
                  </span>
                </Card>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function NoFriends() {
  return (
    <EmptyState title="No friends yet">
      <p>
        Friends can write to each other’s agents and share subusers. Ask someone for their nametag
        and enter it above to send them a friend request.
      </p>
    </EmptyState>
  );
}

const firstShown = 30;

function FriendList({ friends }: { readonly friends: readonly Friend[] }) {
  const [searchText, setSearchText] = useState('');
  const [shown, setShown] = useState(firstShown);
  const matching = friends.filter(({ nametag }) =>
    nametag.includes(searchText.trim().toLowerCase()),
  );
  return (
    <div class="form">
      {friends.length > 12 && (
        <Field label="Find" type="search" value={searchText} onValue={setSearchText} />
      )}
      <ul class="rows">
        {matching.slice(0, shown).map((friend) => (
          <li key={friend.nametag}>
            <a href={`/friends/${encodeURIComponent(friend.nametag)}`} class="row row-stacked">
              <span class="row-title">{friend.nametag}</span>
              {friend.sharesIn.length > 0 && (
                <Badge kind="good">Shares {countOf(friend.sharesIn)} with you</Badge>
              )}
              {friend.sharesOut.length > 0 && <Badge>You share {countOf(friend.sharesOut)}</Badge>}
              <span class="muted small">
                Added <Time at={friend.friendsSince} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {matching.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown * 4)}>
          Show more
        </Button>
      )}
    </div>
  );
}

function countOf(shares: readonly unknown[]): string {
  return shares.length === 1 ? 'a subuser' : `${shares.length} subusers`;
}

interface ChangeButtonProps {
  readonly nametag: string;
  readonly onChanged: () => void;
}

function Withdraw({ nametag, onChanged }: ChangeButtonProps) {
  const withdraw = useAction(async (requestId) => {
    const { summary } = await daycare.friends.remove(nametag, { requestId });
    onChanged();
    return summary;
  });
  return (
    <Button busy={withdraw.isBusy} onClick={() => void withdraw.run()}>
      Withdraw <span class="hidden">the request to {nametag}</span>
    </Button>
  );
}

function Unblock({ nametag, onChanged }: ChangeButtonProps) {
  const unblock = useAction(async (requestId) => {
    await daycare.friends.unblock(nametag, { requestId });
    onChanged();
    return `${nametag} is no longer blocked.`;
  });
  return (
    <Button busy={unblock.isBusy} onClick={() => void unblock.run()}>
      Unblock <span class="hidden">{nametag}</span>
    </Button>
  );
}
