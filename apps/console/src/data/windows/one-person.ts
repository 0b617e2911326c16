/**
 * A browser has one session for all of its windows: when another person signs in in one of them, the others still show the
 * first person's pages, but can do nothing there any more. So each window says whose it is when it opens, and calls `onOther`
 * once a later one is another person's.
 */
export function keepToOnePerson(userId: string, onOther: () => void): void {
  const channel = new BroadcastChannel('daycare.person');
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== userId) onOther();
  };
  channel.postMessage(userId);
}
