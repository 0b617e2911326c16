import { deadLetterStream } from './dead-letters';
import { isInterrupted, markInterrupted, runLive } from './live';
import { permissionStream } from './permissions';
import { setStoredOwner } from './stored';
import { self, topologyStream } from './topology';
import { shareLive } from './windows/share-live';

/** Follows what every page shows. */
export function startLiveData(): void {
  let owner = '';
  self.subscribe((me) => {
    if (!me) return;
    // Someone else has signed in in another window of this browser: nothing of the page is theirs.
    if (owner !== '' && owner !== me.userId) location.assign('/');
    owner = me.userId;
    setStoredOwner(owner);
  });
  shareLive([topologyStream, permissionStream, deadLetterStream], {
    runLive,
    isInterrupted,
    markInterrupted,
  });
}
