import type { ChangeHints } from '@daycare/messaging';
import { hinting } from '@daycare/service-kit';
import type { Viewer } from './domain/facts';
import type { ChannelUsecases } from './rpc/channel-handlers';
import type { EndpointUsecases } from './rpc/endpoint-handlers';
import type { SignalUsecases } from './rpc/signal-handlers';

type WiringUsecases = SignalUsecases & ChannelUsecases & EndpointUsecases;

/** The same usecases; those that change what a topology shows hint the user and, of a subuser, the owner. */
export function hintChanges(
  usecases: WiringUsecases,
  hints: Pick<ChangeHints, 'tell'>,
): WiringUsecases {
  const hint = (_answer: unknown, { caller }: { readonly caller: Viewer }): void =>
    hints.tell([caller.userId, caller.parentUserId]);
  return {
    ...usecases,
    subscribeSignal: hinting(usecases.subscribeSignal, hint),
    unsubscribeSignal: hinting(usecases.unsubscribeSignal, hint),
    createChannel: hinting(usecases.createChannel, hint),
    joinChannel: hinting(usecases.joinChannel, hint),
    leaveChannel: hinting(usecases.leaveChannel, hint),
    createEndpoint: hinting(usecases.createEndpoint, hint),
    updateEndpoint: hinting(usecases.updateEndpoint, hint),
    deleteEndpoint: hinting(usecases.deleteEndpoint, hint),
  };
}
