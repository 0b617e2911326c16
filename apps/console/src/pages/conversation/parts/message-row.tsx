import type { TokenUsage } from '@daycare/contracts/agent-runtime';
import { useMemo } from 'preact/hooks';
import { labelOf } from '../../../data/agent-names';
import { Attachments } from '../../../ui/attachments';
import { describeTrust } from '../../../ui/describe-trust';
import { formatCount } from '../../../ui/format-count';
import { Badge } from '../../../ui/layout';
import { Markdown } from '../../../ui/markdown/markdown';
import { Clock } from '../../../ui/time/time';
import { describeOrigin } from '../log/describe-origin';
import type { Row } from '../log/to-rows';
import { ToolCalls, ToolResult } from './tool-calls';

/** One row of a history. */
export function MessageRow({ row }: { readonly row: Row }) {
  // Returns the same element for an unchanged row, so that Preact does not compare its children.
  return useMemo(() => <RowContent row={row} />, [row]);
}

function RowContent({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'person':
      return <PersonMessage row={row} />;
    case 'system':
      return <SystemMessage row={row} />;
    case 'assistant':
      return <AssistantMessage row={row} />;
    case 'result':
      return <ToolResult result={row.result} />;
    case 'note':
      return (
        <p class={row.endsWork ? 'note note-end' : 'note'}>
          {row.text} <Clock at={row.at} />
        </p>
      );
    case 'divider':
      return <Divider row={row} />;
  }
}

type RowOf<K extends Row['kind']> = Extract<Row, { kind: K }>;

function PersonMessage({ row: { message, at } }: { readonly row: RowOf<'person'> }) {
  return (
    <article class="message mine" aria-label="You">
      <div class="bubble">
        {message.text !== '' && <Markdown text={message.text} />}
        <Attachments files={message.files} />
      </div>
      <p class="message-foot">
        <Clock at={at} />
      </p>
    </article>
  );
}

function SystemMessage({ row: { message, at } }: { readonly row: RowOf<'system'> }) {
  const { text, trust } = describeOrigin(message.origin, message.originName, labelOf);
  const { text: trustText, kind } = describeTrust(trust);
  return (
    <article class="message system" aria-label={`Message from ${text}`}>
      <p class="message-head">
        <strong>{text}</strong>
        {trust && <Badge kind={kind}>{trustText}</Badge>}
        {message.silent && <Badge>Silent</Badge>}
        <Clock at={at} />
      </p>
      <Markdown text={message.text} />
      <Attachments files={message.files} />
    </article>
  );
}

function AssistantMessage({ row }: { readonly row: RowOf<'assistant'> }) {
  const { message, calls, turnUsage, at } = row;
  return (
    <article class="message agent" aria-label="Agent">
      {message.text !== '' && <Markdown text={message.text} />}
      <Attachments files={message.files} />
      <ToolCalls calls={calls} />
      {calls.length === 0 && (
        <p class="message-foot">
          <Clock at={at} />
          {turnUsage && <Usage usage={turnUsage} model={message.model} />}
        </p>
      )}
    </article>
  );
}

function Usage({ usage, model }: { readonly usage: TokenUsage; readonly model: string }) {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  const cached = cachedInputTokens > 0 ? `, ${formatCount(cachedInputTokens)} cached` : '';
  return (
    <span title="Tokens used in the whole turn">
      {model} · {formatCount(inputTokens)} in{cached} · {formatCount(outputTokens)} out
    </span>
  );
}

function Divider({ row: { text, detail } }: { readonly row: RowOf<'divider'> }) {
  return (
    <div class="divider">
      <span>{text}</span>
      {detail !== '' && (
        <details>
          <summary>Details</summary>
          <Markdown text={detail} />
        </details>
      )}
    </div>
  );
}
