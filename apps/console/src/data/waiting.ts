import { computed } from '@preact/signals';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import { deadLetters } from './dead-letters';
import { permissionRequests } from './permissions';
import { topology } from './topology';

/** Incoming friend requests. */
export const incomingRequests = computed(() =>
  (topology.value?.friendRequests?.requests ?? []).filter(
    ({ state }) => state === TieState.PENDING_IN,
  ),
);

/** Subusers that friends offer me. */
export const shareOffers = computed(() =>
  (topology.value?.friends?.friends ?? []).flatMap(({ nametag, sharesIn }) =>
    sharesIn.flatMap(({ share }) =>
      share?.status === ShareStatus.PENDING ? [{ friend: nametag, share }] : [],
    ),
  ),
);

/** Agents that are waiting for something external, such as a provider. They continue on their own. */
export const waitingAgents = computed(() =>
  (topology.value?.agents?.agents ?? []).filter(({ waiting }) => waiting !== undefined),
);

/** The number of items that need my attention. Waiting agents are not counted, because they continue on their own. */
export const waitingCount = computed(
  () =>
    (permissionRequests.value?.size ?? 0) +
    incomingRequests.value.length +
    shareOffers.value.length +
    (deadLetters.value?.length ?? 0),
);
