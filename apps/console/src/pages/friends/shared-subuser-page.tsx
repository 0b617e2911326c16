import { topology } from '../../data/topology';
import type { PageProps } from '../../router/page-props';
import { ButtonLink } from '../../ui/button';
import { PageHead } from '../../ui/layout';
import { EmptyState, Skeleton } from '../../ui/states';
import { Thread } from './thread/thread';

/** A subuser that a friend shares with me. */
export function SharedSubuserPage({ params }: PageProps) {
  const { friend: friendTag = '', nametag = '' } = params;
  const view = topology.value;
  if (!view) return <Skeleton />;
  const friend = view.friends?.friends.find((one) => one.nametag === friendTag);
  const share = friend?.sharesIn.find((one) => one.share?.subuserNametag === nametag)?.share;
  const back = (
    <ButtonLink href={`/friends/${encodeURIComponent(friendTag)}`}>{friendTag}</ButtonLink>
  );
  if (!share)
    return (
      <>
        <PageHead title={nametag} />
        <EmptyState title={`${nametag} is not currently shared with you.`}>{back}</EmptyState>
      </>
    );
  return (
    <>
      <PageHead
        title={share.subuserName}
        about={`${share.subuserNametag}, shared by ${friendTag}. ${share.subuserDescription}`}
        actions={back}
      />
      <Thread nametag={nametag} origin={`subuser:${nametag}`} />
    </>
  );
}
