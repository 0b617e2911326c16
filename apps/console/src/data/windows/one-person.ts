/**
 * Calls `onOther` when a window opened later belongs to a different person. A browser has one session for all its
 * windows: after another person has signed in, older windows still show the first person's pages but can no longer do
 * anything. So each window announces its user when it opens.
 */
export function watchForOtherPerson(userId: string, onOther: () => void): void {
  const channel = new BroadcastChannel('daycare.person');
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== userId) onOther();
  };
  channel.postMessage(userId);
}
