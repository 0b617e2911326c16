import type { FriendRequest, Share } from '@daycare/contracts/social-graph';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { Button } from '../../ui/button';
import { Card } from '../../ui/layout';
import { Time } from '../../ui/time/time';

/** An incoming friend request. */
export function FriendRequestCard({ request }: { readonly request: FriendRequest }) {
  const { nametag, since } = request;
  return (
    <Card actions={<Answer nametag={nametag} />}>
      <p>
        <strong>{nametag}</strong> sent you a friend request
      </p>
      <p class="muted small">
        Sent <Time at={since} />. Friends can write to your agents; you can end the friendship at
        any time.
      </p>
    </Card>
  );
}

/** A subuser that a friend offers. */
export function ShareOfferCard({
  friend,
  share,
}: {
  readonly friend: string;
  readonly share: Share;
}) {
  return (
    <Card actions={<Answer nametag={share.subuserNametag} />}>
      <p>
        <strong>{friend}</strong> offers you <strong>{share.subuserName}</strong>{' '}
        <span class="muted">({share.subuserNametag})</span>
      </p>
      {share.subuserDescription !== '' && <p>{share.subuserDescription}</p>}
      <p class="muted small">
        Offered <Time at={share.offeredAt} />. Once you accept, you can write to it.
      </p>
    </Card>
  );
}

function Answer({ nametag }: { readonly nametag: string }) {
  const accept = useAction(async (requestId) => {
    return (await daycare.friends.add(nametag, { requestId })).summary;
  });
  const decline = useAction(async (requestId) => {
    return (await daycare.friends.remove(nametag, { requestId })).summary;
  });
  return (
    <>
      <Button kind="primary" busy={accept.isBusy} onClick={() => void accept.run()}>
        Accept <span class="hidden">{nametag}</span>
      </Button>
      <Button busy={decline.isBusy} onClick={() => void decline.run()}>
        Decline <span class="hidden">{nametag}</span>
      </Button>
    </>
  );
}
