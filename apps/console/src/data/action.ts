import { signal, type ReadonlySignal } from '@preact/signals';
import { newRequestId, isDaycareError } from '@daycare/client/browser';
import { useMemo, useRef } from 'preact/hooks';
import { showToast } from './notices';
import { describeError, isCancelled, leaveIfSignedOut } from './client';

export interface Action<A extends unknown[]> {
  /** Resolves to whether it succeeded; a failure is shown to the person. */
  run(...args: A): Promise<boolean>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** The last failure, in words; empty after a success. */
  readonly problem: ReadonlySignal<string>;
  /** The field of the request that the problem is about, e.g. `schedule`; empty when it is about none. */
  readonly problemField: ReadonlySignal<string>;
}

/**
 * Changes something in the services. `act` gets a request id and returns what to say about the success, if anything. After
 * an attempt whose outcome is unknown, the same arguments get the same id, so that nothing happens twice. So everything that
 * the person can change must be an argument, never state that `act` reads: another request with the same id is refused.
 */
export type Act<A extends unknown[]> = (
  requestId: string,
  ...args: A
) => Promise<string | undefined>;

/** An action of a component. While it runs, it is not started again. What changes from one run to another is an argument. */
export function useAction<A extends unknown[]>(act: Act<A>): Action<A> {
  const latest = useRef(act);
  latest.current = act;
  return useMemo(() => createAction<A>((...args) => latest.current(...args)), []);
}

export function createAction<A extends unknown[]>(act: Act<A>): Action<A> {
  const isBusy = signal(false);
  const problem = signal('');
  const problemField = signal('');
  let uncertain: { readonly key: string; readonly requestId: string } | undefined;

  const run = async (...args: A): Promise<boolean> => {
    if (isBusy.peek()) return false;
    const key = JSON.stringify(args);
    const requestId = uncertain?.key === key ? uncertain.requestId : newRequestId();
    uncertain = undefined;
    isBusy.value = true;
    try {
      const said = await act(requestId, ...args);
      problem.value = '';
      if (said !== undefined) showToast(said);
      return true;
    } catch (error) {
      if (mayHaveActed(error)) uncertain = { key, requestId };
      if (!isCancelled(error) && !leaveIfSignedOut(error)) {
        problem.value = describeError(error);
        problemField.value = isDaycareError(error) ? (error.fields[0]?.field ?? '') : '';
        showToast(problem.value, 'problem');
      }
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { run, isBusy, problem, problemField };
}

function mayHaveActed(error: unknown): boolean {
  return isDaycareError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL');
}
