/**
 * A browser has one session for all its windows. When another person signs in, the other windows still show the first
 * person's pages but can no longer do anything. So each window announces its user when it opens, and calls `onOther`
 * when a later window announces a different one.
 */
export function watchForOtherPerson(userId: string, onOther: () => void): void {
  const channel = new BroadcastChannel('daycare.person');
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== userId) onOther();
  };
  channel.postMessage(userId);
}
