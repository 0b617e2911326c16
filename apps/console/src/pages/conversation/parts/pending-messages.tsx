import { Attachments } from '../../../ui/attachments';
import { Button } from '../../../ui/button';
import { Markdown } from '../../../ui/markdown/markdown';
import type { ConversationStore } from '../store/conversation-store';
import type { PendingMessage } from '../store/pending-message';
import { discardMessage, resendMessage, type Deliver } from '../store/send-message';

/** Messages that the agent has not read yet, with their delivery state. */
export function PendingMessages({
  store,
  deliver,
}: {
  readonly store: ConversationStore;
  readonly deliver: Deliver;
}) {
  return (
    <>
      {store.pending.value.map((message) => (
        <article key={message.requestId} class="message mine" aria-label="You, not read yet">
          <div class={`bubble bubble-${message.state}`}>
            {message.text !== '' && <Markdown text={message.text} />}
            <Attachments files={message.files} />
          </div>
          <Status message={message} store={store} deliver={deliver} />
        </article>
      ))}
    </>
  );
}

function Status({
  message,
  store,
  deliver,
}: {
  readonly message: PendingMessage;
  readonly store: ConversationStore;
  readonly deliver: Deliver;
}) {
  if (message.state === 'sending') return <p class="message-foot">Sending…</p>;
  if (message.state === 'stored')
    return <p class="message-foot">Delivered; the agent has not read it yet</p>;
  return (
    <div class="message-foot message-problem" role="alert">
      Not sent: {message.problem}
      <Button onClick={() => void resendMessage(store, deliver, message)}>Send again</Button>
      <Button kind="quiet" onClick={() => discardMessage(store, message.requestId)}>
        Discard
      </Button>
    </div>
  );
}
