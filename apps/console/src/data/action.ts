import { signal, type ReadonlySignal } from '@preact/signals';
import { newRequestId, isDaycareError } from '@daycare/client/browser';
import { useMemo, useRef } from 'preact/hooks';
import { showToast } from './notices';
import { describeError, leaveIfSignedOut } from './client';

export interface Action<A extends unknown[]> {
  /**
   * Resolves to true on success. Resolves to false after a failure, which is shown to the person unless it ends the
   * session. While the action is running, another call does nothing and resolves to false.
   */
  run(...args: A): Promise<boolean>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** The message of the last failure; empty after a success. */
  readonly problem: ReadonlySignal<string>;
  /** The first request field that the last failure names, e.g. `schedule`; empty if it names none. */
  readonly problemField: ReadonlySignal<string>;
}

/**
 * The function of an action, which changes something in the services. It receives a request id and returns the message
 * to show on success, if any. If the outcome of an attempt is unknown, the next attempt with the same arguments reuses
 * its id, so that nothing happens twice. Because the services refuse a different request with the same id, everything
 * that the person can change must be an argument; the function must not read it from a component's state.
 */
export type Act<A extends unknown[]> = (
  requestId: string,
  ...args: A
) => Promise<string | undefined>;

/**
 * Creates a component's action, which cannot be started again while it is running. Everything that differs between runs
 * must be an argument.
 */
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
      const message = await act(requestId, ...args);
      problem.value = '';
      if (message !== undefined) showToast(message);
      return true;
    } catch (error) {
      if (mayHaveActed(error)) uncertain = { key, requestId };
      if (!leaveIfSignedOut(error)) {
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
  // A service that stops cancels the calls that are still running.
  return isDaycareError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL');
}
