import { computed, signal } from '@preact/signals';

/** The current time, updated every second while the page is visible, for clocks and countdowns. */
export const now = signal(Date.now());

/**
 * The start of the current minute. Text without seconds uses it, so that it is redrawn only once a minute.
 */
export const minute = computed(() => Math.floor(now.value / 60_000) * 60_000);

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
