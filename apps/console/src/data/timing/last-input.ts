/** Longer than between two letters that are typed, or two turns of a wheel. */
const activeMs = 500;
let lastAt = -Infinity;

for (const type of ['keydown', 'pointerdown', 'wheel', 'touchmove'])
  addEventListener(type, () => (lastAt = performance.now()), { capture: true, passive: true });

/** Whether the person is typing, pressing or scrolling right now: what can wait should, so that the page answers at once. */
export function isActive(): boolean {
  return performance.now() - lastAt < activeMs;
}
