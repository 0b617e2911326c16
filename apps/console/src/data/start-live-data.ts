import { deadLetterStream } from './dead-letters';
import { isAnyInterrupted, markInterrupted, runLive } from './live';
import { permissionStream } from './permissions';
import { setStoredOwner } from './stored';
import { topologyStream } from './topology';
import { watchForOtherPerson } from './windows/one-person';
import { reloadConsole, pageUser } from './windows/page-user';
import { shareLive } from './windows/share-live';

/** Follows the streams that every page uses, and watches for another person signing in. */
export function startLiveData(): void {
  setStoredOwner(pageUser);
  watchForOtherPerson(pageUser, reloadConsole);
  const streams = [topologyStream, permissionStream, deadLetterStream];
  shareLive(streams, { userId: pageUser, runLive, isAnyInterrupted, markInterrupted });
}
