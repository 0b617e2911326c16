import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** A rule that the page violates, as axe reports it, and the elements that violate it. */
export interface Finding {
  readonly rule: string;
  readonly targets: readonly string[];
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly unknown[] }[];
  }[];
}

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Runs axe on the page. The test injects the script itself, so the page's security policy needs no exception. */
export async function findBarriers(page: Page): Promise<readonly Finding[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.map(({ id, nodes }) => ({
    rule: id,
    targets: nodes.map(({ target }) => target.join(' ')),
  }));
}

/** Returns up to five elements that reach past the window's right edge and make the page scroll sideways. */
export function findOverflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = (element) => element.getBoundingClientRect().right > clientWidth;
    return [...document.querySelectorAll('main *')]
      .filter((element) => isWide(element) && ![...element.children].some(isWide))
      .map((element) => element.outerHTML.slice(0, 120))
      .slice(0, 5);
  })()`);
}

/** Returns up to five elements that are animated although the person prefers reduced motion. */
export function findMotion(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const moves = (value) => value.split(',').some((part) => parseFloat(part) > 0.01);
    return [...document.querySelectorAll('*')]
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return moves(transitionDuration) || moves(animationDuration);
      })
      .map((element) => element.outerHTML.slice(0, 120))
      .slice(0, 5);
  })()`);
}
