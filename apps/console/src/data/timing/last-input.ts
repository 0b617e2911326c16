/** Longer than the gap between two keystrokes or two notches of the scroll wheel. */
const activeMs = 500;
let lastAt = -Infinity;

for (const type of ['keydown', 'pointerdown', 'wheel', 'touchmove'])
  addEventListener(type, () => (lastAt = performance.now()), { capture: true, passive: true });

/**
 * Reports whether the person is typing, clicking or scrolling right now. Work that can wait should be postponed, so
 * that the page responds to the person immediately.
 */
export function isActive(): boolean {
  return performance.now() - lastAt < activeMs;
}
