import { signal } from '@preact/signals';

/** A short notice about something that has happened. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'problem';
}

export const notices = signal<readonly Notice[]>([]);
export const announcement = signal('');
const maxNotices = 3;
const showMs = { done: 5_000, problem: 12_000 } as const;
let lastId = 0;

/** Shows a short notice, and announces it to screen readers. */
export function showToast(text: string, kind: Notice['kind'] = 'done'): void {
  const id = (lastId += 1);
  notices.value = [...notices.peek(), { id, text, kind }].slice(-maxNotices);
  setTimeout(() => dismiss(id), showMs[kind]);
}

/** Announces text to screen readers only. */
export function announce(text: string): void {
  // Screen readers do not announce unchanged text. A trailing no-break space changes it and is not read out.
  announcement.value = announcement.peek() === text ? `${text}\u00a0` : text;
}

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}
