import { TopologyFormat } from '@daycare/contracts/topology';
import { daycare } from './client';
import { deadLetterStream } from './dead-letters';
import { areInterrupted, markInterrupted, runLive } from './live';
import { permissionStream } from './permissions';
import { setStoredOwner } from './stored';
import { self, topologyStream } from './topology';
import { keepToOnePerson } from './windows/one-person';
import { shareLive } from './windows/share-live';

/** Follows what every page shows. */
export function startLiveData(): void {
  // Windows share what they receive, so it must be known first whose window this is.
  const stop = runLive('me', async ({ signal }) => {
    const page = { pageSize: 1, pageToken: '', includeDead: false };
    const request = { ...page, format: TopologyFormat.STRUCTURE };
    const { topology } = await daycare.rpc.topology.getTopology(request, { signal });
    const userId = topology?.self?.userId;
    if (!userId || signal.aborted) return;
    stop();
    followAs(userId);
  });
}

function followAs(userId: string): void {
  setStoredOwner(userId);
  // Someone else has signed in in another window of this browser: nothing of the page is theirs.
  const begin = (): void => location.assign('/');
  keepToOnePerson(userId, begin);
  self.subscribe((me) => {
    if (me && me.userId !== userId) begin();
  });
  const streams = [topologyStream, permissionStream, deadLetterStream];
  shareLive(streams, { userId, runLive, areInterrupted, markInterrupted });
}
