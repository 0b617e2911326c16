import { useEffect } from 'preact/hooks';
import { useResource, type Load, type Resource } from '../../data/resource';
import { asOperator } from './operator-session';

const everyMs = 10_000;

/** A resource that is read with the operator's token, and reloaded at intervals while the page is visible. */
export function usePolled<T>(load: Load<T>, keys: readonly unknown[]): Resource<T> {
  const resource = useResource((signal) => asOperator(() => load(signal)), keys);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void resource.reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [resource]);
  return resource;
}
