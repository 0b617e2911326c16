import type { TopologyServiceService } from '@daycare/contracts/topology';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { makeEmitSignal } from '../usecases/signals/emit-signal';
import type { makeListSignals } from '../usecases/signals/list-signals';
import type {
  makeSubscribeSignal,
  makeUnsubscribeSignal,
} from '../usecases/signals/subscribe-signal';
import { readState, toSignal, toSubscription } from './signal-messages';

export interface SignalUsecases {
  readonly emitSignal: ReturnType<typeof makeEmitSignal>;
  readonly subscribeSignal: ReturnType<typeof makeSubscribeSignal>;
  readonly unsubscribeSignal: ReturnType<typeof makeUnsubscribeSignal>;
  readonly listSignals: ReturnType<typeof makeListSignals>;
}

/** The signal methods of TopologyService. */
export function signalHandlers(
  usecases: SignalUsecases,
): Pick<Handlers<typeof TopologyServiceService>, keyof SignalUsecases> {
  return {
    async emitSignal(request, { caller, traceparent }) {
      const call = { ...request, caller: requireUser(caller), traceparent };
      const signal = await usecases.emitSignal(call);
      return { signal: toSignal(signal) };
    },
    async subscribeSignal({ silent, ...request }, { caller, signal }) {
      const call = { ...request, silent, caller: requireUser(caller), signal };
      return { subscription: toSubscription(await usecases.subscribeSignal(call)) };
    },
    async unsubscribeSignal(request, { caller }) {
      await usecases.unsubscribeSignal({ ...request, caller: requireUser(caller) });
      return {};
    },
    async listSignals({ state, ...request }, { caller }) {
      const { userId } = requireUser(caller);
      const page = await usecases.listSignals({ ...request, userId, state: readState(state) });
      return { signals: page.signals.map(toSignal), nextPageToken: page.nextPageToken };
    },
  };
}
