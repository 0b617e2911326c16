import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button, ButtonLink } from '../../../ui/button';
import { Section } from '../../../ui/layout';
import { Markdown } from '../../../ui/markdown/markdown';
import { Clock } from '../../../ui/time/time';
import { ReceivedStore } from './received-store';
import {
  canResend,
  describeDelivery,
  isUnsettled,
  toThread,
  type ReceivedMessage,
  type ThreadEntry,
} from './sent-message';
import { followDelivery, resendToFriend, sendToFriend, sentMessages } from './sent-store';

const maxText = 32_768;

/** The messages between me and a friend or shared subuser, with the delivery state of those that I sent. */
export function Thread({ nametag, origin }: { readonly nametag: string; readonly origin: string }) {
  const received = useMemo(() => new ReceivedStore(origin), [origin]);
  useEffect(() => received.open(), [received]);
  const sent = sentMessages.value.filter((message) => message.nametag === nametag);
  const hasUnsettled = sent.some(isUnsettled);
  useEffect(() => {
    if (!hasUnsettled) return undefined;
    const end = new AbortController();
    void followDelivery(nametag, end.signal);
    return () => end.abort();
  }, [nametag, hasUnsettled]);
  const entries = toThread(sent, received.messages.value);
  return (
    <Section title="Messages">
      {!received.hasAgent.value && <NoConversation />}
      <ThreadList entries={entries} nametag={nametag} />
      <WriteForm nametag={nametag} />
    </Section>
  );
}

function NoConversation() {
  return (
    <p class="notice">
      Answers go to your conversations, and you have none yet.{' '}
      <ButtonLink href="/agents/new">Start a conversation</ButtonLink>
    </p>
  );
}

function ThreadList({
  entries,
  nametag,
}: {
  readonly entries: readonly ThreadEntry[];
  readonly nametag: string;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [entries.length]);
  if (entries.length === 0)
    return <p class="muted">No messages yet. {nametag}’s agents read what you write.</p>;
  return (
    <ol ref={list} class="thread" tabIndex={0} aria-label={`Messages with ${nametag}`}>
      {entries.map((entry) =>
        entry.kind === 'sent' ? (
          <li key={entry.message.requestId}>
            <Sent entry={entry} />
          </li>
        ) : (
          <li key={entry.message.key}>
            <Received message={entry.message} from={nametag} />
          </li>
        ),
      )}
    </ol>
  );
}

function Sent({ entry }: { readonly entry: Extract<ThreadEntry, { kind: 'sent' }> }) {
  const { message } = entry;
  const isProblem = canResend(message) || message.state === 'dead';
  return (
    <article class="message mine" aria-label="You">
      <div class={isProblem ? 'bubble bubble-failed' : 'bubble'}>
        <Markdown text={message.text} />
      </div>
      <p class={isProblem ? 'message-foot message-problem' : 'message-foot'}>
        <Clock at={new Date(message.atMs)} />
        <span class="delivery">{describeDelivery(entry)}</span>
        {canResend(message) && (
          <Button onClick={() => void resendToFriend(message)}>Send again</Button>
        )}
      </p>
    </article>
  );
}

function Received({ message, from }: { readonly message: ReceivedMessage; readonly from: string }) {
  return (
    <article class="message system" aria-label={from}>
      <p class="message-head">
        <strong>{from}</strong>
        <Clock at={new Date(message.atMs)} />
      </p>
      <Markdown text={message.text} />
    </article>
  );
}

function WriteForm({ nametag }: { readonly nametag: string }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const send = (): void => {
    const text = box.current?.value.trim() ?? '';
    if (text === '' || !box.current) return;
    void sendToFriend(nametag, text);
    box.current.value = '';
  };
  return (
    <form
      class="composer"
      aria-label={`Write to ${nametag}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        maxLength={maxText}
        aria-label="Message"
        placeholder={`Write to ${nametag}`}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-actions">
        <span class="composer-hint muted small">Enter sends</span>
        <Button kind="primary" type="submit">
          Send
        </Button>
      </div>
    </form>
  );
}
