import { Button } from '../../../ui/button';
import { EmptyState } from '../../../ui/states';
import type { ConversationStore } from '../store/conversation-store';

/** The area above the first message: a loading notice, an error, or a notice that there are no messages. */
export function Beginning({ store }: { readonly store: ConversationStore }) {
  const problem = store.earlierProblem.value;
  if (problem !== '')
    return (
      <div class="notice" role="alert">
        Earlier messages could not be read: {problem}{' '}
        <Button onClick={() => void store.retryEarlier()}>Try again</Button>
      </div>
    );
  if (store.hasEarlier.value) return <p class="divider muted">Loading earlier messages…</p>;
  if (store.rows.value.length > 0) return null;
  return (
    <EmptyState title="Nothing here yet">
      <p>Write the first message below.</p>
    </EmptyState>
  );
}
