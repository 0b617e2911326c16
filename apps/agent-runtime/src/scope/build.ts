import { makeListScope, type ListScopeDeps } from './usecases/list-scope';

export type ScopeUsecases = ReturnType<typeof buildScope>;

/** The agents and schedules of many users in one call, for the topology service. */
export function buildScope(deps: ListScopeDeps) {
  return { listScope: makeListScope(deps) };
}
