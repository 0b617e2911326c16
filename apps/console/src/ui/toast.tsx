import { announcement, dismiss, notices } from '../data/notices';
import { Button } from './button';

/** The container of toasts and announcements; used once on the page. */
export function Toasts() {
  return (
    <>
      <div class="hidden" role="status">
        {announcement}
      </div>
      <section class="toasts" aria-label="Notifications" aria-live="polite">
        {notices.value.map(({ id, text, kind }) => (
          <div key={id} class={`toast toast-${kind}`}>
            <span>{text}</span>
            <Button kind="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
              ✕
            </Button>
          </div>
        ))}
      </section>
    </>
  );
}
