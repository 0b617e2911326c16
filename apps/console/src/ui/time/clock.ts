import { computed, signal } from '@preact/signals';

/** The time, to the second; for clocks and countdowns. */
export const now = signal(Date.now());

/** The beginning of the minute: what shows no seconds follows this, and is drawn again once a minute. */
export const minute = computed(() => Math.floor(now.value / 60_000) * 60_000);

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
