import type { Friend, Share } from '@daycare/contracts/social-graph';
import { ShareStatus } from '@daycare/contracts/social-graph';
import { useAction, type Action } from '../../data/action';
import { daycare } from '../../data/client';
import { readFriends } from '../../data/friends';
import { reloadMs, useReloadOn, useResource } from '../../data/resource';
import { topology } from '../../data/topology';
import type { PageProps } from '../../router/page-props';
import { Button, ButtonLink } from '../../ui/button';
import { Badge, Card, PageHead, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Day } from '../../ui/time/time';
import { FriendLimitsForm } from './friend-limits';
import { EndFriendship } from './end-friendship';
import { ShareForm } from './share-form';
import { Thread } from './thread/thread';

/** One friend: messages and shares in both directions, and limits on what the friend may send. */
export function FriendPage({ params }: PageProps) {
  const nametag = params['nametag'] ?? '';
  const lists = useResource(readFriends, [nametag]);
  useReloadOn(lists, topology.value?.revision, reloadMs);
  return (
    <Loaded resource={lists}>
      {({ friends }) => {
        const friend = friends.find((one) => one.nametag === nametag);
        if (!friend) return <NoFriend nametag={nametag} />;
        return <FriendView friend={friend} onChanged={() => void lists.reload()} />;
      }}
    </Loaded>
  );
}

function NoFriend({ nametag }: { readonly nametag: string }) {
  return (
    <>
      <PageHead title={nametag} />
      <EmptyState title={`${nametag} is not a friend of yours.`}>
        <ButtonLink href="/friends">Go to your friends</ButtonLink>
      </EmptyState>
    </>
  );
}

interface FriendViewProps {
  readonly friend: Friend;
  readonly onChanged: () => void;
}

function FriendView({ friend, onChanged }: FriendViewProps) {
  const { nametag, friendsSince, sharesIn } = friend;
  return (
    <>
      <PageHead
        title={nametag}
        about={
          <>
            Friends since <Day at={friendsSince} />
          </>
        }
        actions={<EndFriendship nametag={nametag} />}
      />
      <Thread nametag={nametag} origin={`friend:${nametag}`} />
      {sharesIn.length > 0 && (
        <Section title="Shared with you" count={sharesIn.length}>
          <ul class="cards">
            {sharesIn.map((share) => (
              <li key={share.subuserId}>
                <ShareIn share={share} friend={nametag} onChanged={onChanged} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <SharesOut friend={friend} onChanged={onChanged} />
      <FriendLimitsForm friend={friend} onChanged={onChanged} />
    </>
  );
}

function ShareIn({
  share,
  friend,
  onChanged,
}: {
  readonly share: Share;
  readonly friend: string;
  readonly onChanged: () => void;
}) {
  const { subuserNametag: nametag, status } = share;
  const accept = useAction(async (requestId) => {
    const { summary } = await daycare.friends.add(nametag, { requestId });
    onChanged();
    return summary;
  });
  const leave = useAction(async (requestId) => {
    const { summary } = await daycare.friends.remove(nametag, { requestId });
    onChanged();
    return summary;
  });
  const isActive = status === ShareStatus.ACTIVE;
  return (
    <Card
      actions={
        <>
          {isActive ? (
            <ButtonLink
              kind="primary"
              href={`/friends/${encodeURIComponent(friend)}/${encodeURIComponent(nametag)}`}
            >
              Write to it
            </ButtonLink>
          ) : (
            <Button kind="primary" busy={accept.isBusy} onClick={() => void accept.run()}>
              Accept <span class="hidden">{share.subuserName}</span>
            </Button>
          )}
          <Button busy={leave.isBusy} onClick={() => void leave.run()}>
            {isActive ? 'Leave' : 'Decline'} <span class="hidden">{share.subuserName}</span>
          </Button>
        </>
      }
    >
      <ShareText share={share} />
    </Card>
  );
}

function ShareText({ share }: { readonly share: Share }) {
  const isActive = share.status === ShareStatus.ACTIVE;
  return (
    <>
      <p>
        <strong>{share.subuserName}</strong> <span class="muted">{share.subuserNametag}</span>{' '}
        <Badge kind={isActive ? 'good' : 'warn'}>{isActive ? 'Active' : 'Offered'}</Badge>
      </p>
      {share.subuserDescription !== '' && <p class="muted">{share.subuserDescription}</p>}
    </>
  );
}

function SharesOut({ friend: { nametag, sharesOut }, onChanged }: FriendViewProps) {
  const revoke: Action<[Share]> = useAction(async (requestId, { subuserId, subuserName }) => {
    await daycare.subusers.unshare(subuserId, nametag, { requestId });
    onChanged();
    return `${subuserName} is no longer shared with ${nametag}.`;
  });
  return (
    <Section title="You share" {...(sharesOut.length > 0 && { count: sharesOut.length })}>
      <ul class="cards">
        {sharesOut.map((share) => (
          <li key={share.subuserId}>
            <Card
              actions={
                <Button kind="danger" busy={revoke.isBusy} onClick={() => void revoke.run(share)}>
                  {share.status === ShareStatus.ACTIVE ? 'Revoke' : 'Withdraw'}{' '}
                  <span class="hidden">{share.subuserName}</span>
                </Button>
              }
            >
              <ShareText share={share} />
            </Card>
          </li>
        ))}
      </ul>
      <ShareForm nametag={nametag} shared={sharesOut} onShared={onChanged} />
    </Section>
  );
}
