import { Markdown } from '../../../ui/markdown/markdown';
import type { ConversationStore } from '../store/conversation-store';

/**
 * What the agent is writing right now; before there is any text, the tools that are running or, if none are, `Working`.
 */
export function DraftMessage({ store }: { readonly store: ConversationStore }) {
  const draft = store.draft.value;
  const tools = [...store.running.value.values()];
  if (!draft && !store.isWorking.value) return null;
  return (
    <div class="message agent draft" aria-busy="true">
      {draft && draft.text !== '' ? (
        <Markdown text={draft.text} />
      ) : (
        <p class="thinking muted">
          {tools.length > 0
            ? `Running ${tools.map(({ toolName }) => toolName).join(', ')}`
            : 'Working'}
          <span class="dots" aria-hidden="true" />
        </p>
      )}
    </div>
  );
}
