import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import type { makeEmitSignal } from '../usecases/emit-signal';
import type { makeListSignals } from '../usecases/list-signals';
import type { makeSubscribeSignal, makeUnsubscribeSignal } from '../usecases/subscribe-signal';
import { readState, toSignal, toSubscription } from './signal-messages';
import { userOf } from './user-of';

export interface SignalUsecases {
  readonly emitSignal: ReturnType<typeof makeEmitSignal>;
  readonly subscribeSignal: ReturnType<typeof makeSubscribeSignal>;
  readonly unsubscribeSignal: ReturnType<typeof makeUnsubscribeSignal>;
  readonly listSignals: ReturnType<typeof makeListSignals>;
}

/** The part of TopologyService that is about signals. */
export function signalHandlers(
  usecases: SignalUsecases,
): Pick<Handlers<typeof TopologyServiceService>, keyof SignalUsecases> {
  return {
    async emitSignal(request, { caller }) {
      const signal = await usecases.emitSignal({ ...request, caller: userOf(caller) });
      return { signal: toSignal(signal) };
    },
    async subscribeSignal({ silent, ...request }, { caller, signal }) {
      const call = { ...request, silent, caller: userOf(caller), signal };
      return { subscription: toSubscription(await usecases.subscribeSignal(call)) };
    },
    async unsubscribeSignal(request, { caller }) {
      await usecases.unsubscribeSignal({ ...request, caller: userOf(caller) });
      return {};
    },
    async listSignals({ state, ...request }, { caller }) {
      const { userId } = userOf(caller);
      const page = await usecases.listSignals({ ...request, userId, state: readState(state) });
      return { signals: page.signals.map(toSignal), nextPageToken: page.nextPageToken };
    },
  };
}
