import { FieldChecks, notFound } from '@daycare/api';
import type { HeartbeatStore } from '../store/heartbeat-store';

export interface DeleteHeartbeatCall {
  readonly userId: string;
  readonly requestId: string;
  readonly heartbeatId: string;
}

export interface DeleteHeartbeatDeps {
  readonly heartbeats: HeartbeatStore;
  readonly now: () => Date;
}

/** Deletes a heartbeat, effective from the next batch. */
export function makeDeleteHeartbeat({ heartbeats, now }: DeleteHeartbeatDeps) {
  return async (call: DeleteHeartbeatCall): Promise<void> => {
    const { userId, heartbeatId, requestId } = call;
    new FieldChecks().requestId(requestId).id(heartbeatId, 'heartbeat_id').done();
    const isDeleted = await heartbeats.delete({ userId, heartbeatId, requestId }, now());
    if (!isDeleted) throw notFound('heartbeat');
  };
}
