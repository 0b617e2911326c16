import type { Share } from '@daycare/contracts/social-graph';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { Button } from '../../ui/button';
import { Select } from '../../ui/field';

/** Offers one of my subusers to a friend. */
export function ShareForm({
  nametag,
  shared,
  onShared,
}: {
  readonly nametag: string;
  readonly shared: readonly Share[];
  readonly onShared: () => void;
}) {
  const sharedIds = new Set(shared.map(({ subuserId }) => subuserId));
  const mine = topology.value?.subusers?.subusers ?? [];
  const unsharedSubusers = mine.filter(({ subuserId }) => !sharedIds.has(subuserId));
  const [chosen, setChosen] = useState('');
  const subuserId = unsharedSubusers.some((one) => one.subuserId === chosen)
    ? chosen
    : unsharedSubusers[0]?.subuserId;
  const share = useAction(async (requestId, offered: string) => {
    await daycare.subusers.share(offered, nametag, { requestId });
    onShared();
    return `Offered to ${nametag}, who has to accept it.`;
  });
  if (mine.length === 0)
    return (
      <p class="muted">
        A subuser is one of your applications, with its own agents, memory and files. Once you have
        one, you can share it here.
      </p>
    );
  if (unsharedSubusers.length === 0) return null;
  return (
    <form
      class="form-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (subuserId !== undefined) void share.run(subuserId);
      }}
    >
      <Select
        label="Share a subuser"
        value={subuserId ?? ''}
        options={unsharedSubusers.map((one) => ({ value: one.subuserId, text: one.name }))}
        onValue={setChosen}
      />
      <Button type="submit" busy={share.isBusy}>
        Offer
      </Button>
    </form>
  );
}
