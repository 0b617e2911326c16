import { deadLetters, hasMoreDeadLetters } from '../../data/dead-letters';
import { permissionRequests } from '../../data/permissions';
import { topology } from '../../data/topology';
import { incomingRequests, shareOffers, waitingAgents, waitingCount } from '../../data/waiting';
import { PageHead, Section } from '../../ui/layout';
import { EmptyState, Skeleton } from '../../ui/states';
import { DeadLetterCard } from './dead-letter-card';
import { FriendRequestCard, ShareOfferCard } from './friend-cards';
import { PermissionCard } from './permission-card';
import { WaitingAgentCard } from './waiting-agent-card';

/** Everything that needs the person's attention, most urgent first; then the agents that are waiting for a provider. */
export function InboxPage() {
  const count = waitingCount.value;
  return (
    <>
      <PageHead title="Inbox" about={describeCount(count)} />
      <Permissions />
      <FriendRequests />
      <ShareOffers />
      <DeadLetters />
      <WaitingAgents />
      <LoadingOrEmpty />
    </>
  );
}

function describeCount(count: number): string {
  if (count === 0) return 'Anything that needs your attention appears here.';
  return count === 1 ? 'One thing is waiting for you.' : `${count} things are waiting for you.`;
}

function LoadingOrEmpty() {
  const isLoading = !permissionRequests.value || !topology.value || !deadLetters.value;
  if (isLoading) return <Skeleton />;
  if (waitingCount.value > 0 || waitingAgents.value.length > 0) return null;
  return (
    <EmptyState title="Nothing is waiting for you">
      <p>
        When an agent needs your permission, someone sends you a friend request, a friend offers you
        a subuser, or a message cannot be handled, it appears here; there is no need to reload the
        page.
      </p>
    </EmptyState>
  );
}

function Permissions() {
  const requests = [...(permissionRequests.value?.values() ?? [])];
  if (requests.length === 0) return null;
  return (
    <Section title="Permissions" count={requests.length}>
      <ul class="cards">
        {requests.map((request) => (
          <li key={request.id}>
            <PermissionCard request={request} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FriendRequests() {
  const requests = incomingRequests.value;
  if (requests.length === 0) return null;
  return (
    <Section title="Friend requests" count={requests.length}>
      <ul class="cards">
        {requests.map((request) => (
          <li key={request.nametag}>
            <FriendRequestCard request={request} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function ShareOffers() {
  const offers = shareOffers.value;
  if (offers.length === 0) return null;
  return (
    <Section title="Offered to you" count={offers.length}>
      <ul class="cards">
        {offers.map(({ friend, share }) => (
          <li key={share.subuserId}>
            <ShareOfferCard friend={friend} share={share} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function DeadLetters() {
  const letters = deadLetters.value ?? [];
  if (letters.length === 0) return null;
  return (
    <Section title="Could not be handled" count={letters.length}>
      <ul class="cards">
        {letters.map((letter) => (
          <li key={letter.id}>
            <DeadLetterCard letter={letter} />
          </li>
        ))}
      </ul>
      {hasMoreDeadLetters.value && (
        <p class="muted small">Older messages appear once you have dealt with these.</p>
      )}
    </Section>
  );
}

function WaitingAgents() {
  const agents = waitingAgents.value;
  if (agents.length === 0) return null;
  return (
    <Section title="Agents waiting for a provider">
      <ul class="cards">
        {agents.map((agent) => (
          <li key={agent.id}>
            <WaitingAgentCard agent={agent} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
