import type { Agent } from '../../agents';
import type { PermissionRequest } from '../domain/permission';
import type { PermissionStore } from '../store/permission-store';

export interface LapseTurnDeps {
  readonly permissions: Pick<PermissionStore, 'lapse' | 'listByTurn'>;
  /** Notifies the watching clients of all users who may see the request. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

/**
 * Ends the pending requests from a turn that was stopped, so that a later decision returns `expired` and nothing runs.
 * May be repeated.
 */
export type LapseTurn = (agent: Pick<Agent, 'id'>, turn: number) => Promise<void>;

export function makeLapseTurn({ permissions, hintReaders, now }: LapseTurnDeps): LapseTurn {
  return async ({ id }, turn) => {
    for (const request of await permissions.listByTurn(id, turn)) {
      const lapsed = await permissions.lapse(request, now());
      if (lapsed) hintReaders(lapsed);
    }
  };
}
