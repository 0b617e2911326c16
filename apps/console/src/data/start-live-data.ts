import { followDeadLetters } from './dead-letters';
import { runLive } from './live';
import { followPermissions } from './permissions';
import { setStoredOwner } from './stored';
import { followTopology, self } from './topology';

/** Follows what every page shows. */
export function startLiveData(): void {
  self.subscribe((me) => me && setStoredOwner(me.userId));
  runLive('topology', followTopology);
  runLive('permissions', followPermissions);
  runLive('dead letters', followDeadLetters);
}
