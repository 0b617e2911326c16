import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { leaveIfSignedOut } from './client';
import { atMostEvery } from './timing/at-most-every';

/** Data loaded from the services. It remains while it is being reloaded and after a reload has failed. */
export type ResourceState<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: unknown }
  | {
      readonly status: 'ready';
      readonly value: T;
      /** Why the last reload failed. */
      readonly error?: unknown;
    };

export interface Resource<T> {
  readonly state: ReadonlySignal<ResourceState<T>>;
  /** Reloads the data; the old data remains on the page in the meantime. */
  reload(): Promise<void>;
}

/** Loads the data; the signal cancels the attempt. */
export type Load<T> = (signal: AbortSignal) => Promise<T>;

export interface OwnedResource<T> extends Resource<T> {
  stop(): void;
}

function createResource<T>(load: Load<T>): OwnedResource<T> {
  const state = signal<ResourceState<T>>({ status: 'loading' });
  let attempt = new AbortController();

  const reload = async (): Promise<void> => {
    attempt.abort();
    attempt = new AbortController();
    const { signal: current } = attempt;
    state.value = toLoading(state.peek());
    try {
      const value = await load(current);
      if (!current.aborted) state.value = { status: 'ready', value };
    } catch (error) {
      if (current.aborted || leaveIfSignedOut(error)) return;
      state.value = toFailed(state.peek(), error);
    }
  };

  return { state, reload, stop: () => attempt.abort() };
}

function toLoading<T>(state: ResourceState<T>): ResourceState<T> {
  return state.status === 'ready' ? state : { status: 'loading' };
}

function toFailed<T>(state: ResourceState<T>, error: unknown): ResourceState<T> {
  return state.status === 'ready' ? { ...state, error } : { status: 'failed', error };
}

/**
 * Creates a component's resource and loads it. When `keys` change, it is replaced by a new resource. Loading is
 * cancelled when the resource is replaced or the component is removed.
 */
export function useResource<T>(load: Load<T>, keys: readonly unknown[] = []): Resource<T> {
  const resource = useMemo(() => createResource(load), keys);
  useEffect(() => {
    void resource.reload();
    return () => resource.stop();
  }, [resource]);
  return resource;
}

/**
 * Reloads a resource whenever `version` changes, but at most once every `minMs`, because every reload is a call.
 * `version` must not be a key of `useResource`, because each change would create a new resource and rebuild everything
 * rendered from it, losing what the person has typed there.
 */
export function useReloadOn(resource: Resource<unknown>, version: unknown, minMs = 0): void {
  const isFirst = useRef(true);
  const paced = useMemo(() => atMostEvery(minMs, () => void resource.reload()), [resource]);
  useEffect(() => {
    if (!isFirst.current) paced.request();
    isFirst.current = false;
  }, [version]);
  useEffect(() => () => paced.cancel(), [paced]);
}

/** The minimum interval between two reloads of data that depends on the topology. */
export const reloadMs = 1_000;
