import { computed } from '@preact/signals';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import { deadLetters } from './dead-letters';
import { permissionRequests } from './permissions';
import { topology } from './topology';

/** The people who ask to become friends. */
export const incomingRequests = computed(() =>
  (topology.value?.friendRequests?.requests ?? []).filter(
    ({ state }) => state === TieState.PENDING_IN,
  ),
);

/** The subusers that friends offer me. */
export const shareOffers = computed(() =>
  (topology.value?.friends?.friends ?? []).flatMap(({ nametag, sharesIn }) =>
    sharesIn.flatMap(({ share }) =>
      share?.status === ShareStatus.PENDING ? [{ friend: nametag, share }] : [],
    ),
  ),
);

/** The agents that wait for something outside, such as a provider. They continue by themselves. */
export const waitingAgents = computed(() =>
  (topology.value?.agents?.agents ?? []).filter(({ waiting }) => waiting !== undefined),
);

/** How many things wait for me. Agents that wait for a provider do not: they need nothing. */
export const waitingCount = computed(
  () =>
    (permissionRequests.value?.size ?? 0) +
    incomingRequests.value.length +
    shareOffers.value.length +
    (deadLetters.value?.length ?? 0),
);
