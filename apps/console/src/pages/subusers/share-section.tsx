import { ShareStatus } from '@daycare/contracts/social-graph';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { Button } from '../../ui/button';
import { Select } from '../../ui/field';
import { Badge, Card, Section } from '../../ui/layout';
import { sharesOf } from './shares-of';

/** The friends who use the subuser or to whom it is offered. */
export function ShareSection({ subuserId }: { readonly subuserId: string }) {
  const shares = sharesOf(subuserId);
  return (
    <Section title="Shared with" count={shares.length}>
      <ul class="cards">
        {shares.map(({ friend, share }) => (
          <li key={friend}>
            <Card actions={<Unshare subuserId={subuserId} friend={friend} />}>
              <p>
                <strong>{friend}</strong>{' '}
                {share.status === ShareStatus.PENDING ? (
                  <Badge kind="warn">Offered</Badge>
                ) : (
                  <Badge kind="good">Uses it</Badge>
                )}
              </p>
            </Card>
          </li>
        ))}
        <li>
          <Offer subuserId={subuserId} sharedWith={shares.map(({ friend }) => friend)} />
        </li>
      </ul>
    </Section>
  );
}

function Unshare({ subuserId, friend }: { readonly subuserId: string; readonly friend: string }) {
  const revoke = useAction(async (requestId) => {
    await daycare.subusers.unshare(subuserId, friend, { requestId });
    return `${friend} can no longer use it.`;
  });
  return (
    <Button kind="danger" busy={revoke.isBusy} onClick={() => void revoke.run()}>
      Revoke <span class="hidden">from {friend}</span>
    </Button>
  );
}

function Offer({
  subuserId,
  sharedWith,
}: {
  readonly subuserId: string;
  readonly sharedWith: readonly string[];
}) {
  const friends = (topology.value?.friends?.friends ?? []).filter(
    ({ nametag }) => !sharedWith.includes(nametag),
  );
  const [friend, setFriend] = useState('');
  const offer = useAction(async (requestId, to: string) => {
    await daycare.subusers.share(subuserId, to, { requestId });
    setFriend('');
    return `Offered to ${to}.`;
  });
  if (friends.length === 0)
    return (
      <p class="muted">
        {sharedWith.length === 0 ? 'Add a friend to share it with.' : 'All your friends have it.'}
      </p>
    );
  return (
    <div class="panel form-row">
      <Select
        label="Share with a friend"
        value={friend}
        options={[
          { value: '', text: 'Choose a friend' },
          ...friends.map(({ nametag }) => ({ value: nametag, text: nametag })),
        ]}
        onValue={setFriend}
      />
      <Button busy={offer.isBusy} disabled={friend === ''} onClick={() => void offer.run(friend)}>
        Offer
      </Button>
    </div>
  );
}
