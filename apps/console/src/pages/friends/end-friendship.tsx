import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { navigate } from '../../router/router';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';

/** The buttons that end the friendship, with or without a block. */
export function EndFriendship({ nametag }: { readonly nametag: string }) {
  const [actionToConfirm, setActionToConfirm] = useState<'remove' | 'block'>();
  const remove = useAction(async (requestId) => {
    const { summary } = await daycare.friends.remove(nametag, { requestId });
    navigate('/friends');
    return summary;
  });
  const block = useAction(async (requestId) => {
    await daycare.friends.block(nametag, { requestId });
    navigate('/friends');
    return `${nametag} is blocked.`;
  });
  return (
    <>
      <Button onClick={() => setActionToConfirm('remove')}>Unfriend</Button>
      <Button kind="danger" onClick={() => setActionToConfirm('block')}>
        Block
      </Button>
      <Confirm
        title={`End the friendship with ${nametag}?`}
        text={`All shares between you end immediately. ${nametag} is notified, and you may have to wait before you can send them a new request.`}
        verb="Unfriend"
        isOpen={actionToConfirm === 'remove'}
        onClose={() => setActionToConfirm(undefined)}
        onConfirm={() => void remove.run()}
      />
      <Confirm
        title={`Block ${nametag}?`}
        text={`The friendship and all shares end. ${nametag} is not notified, and nothing from them will reach you.`}
        verb="Block"
        isOpen={actionToConfirm === 'block'}
        onClose={() => setActionToConfirm(undefined)}
        onConfirm={() => void block.run()}
      />
    </>
  );
}
