/** What the agent is doing, as derived from the events that the chat has received. */
export type Phase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' | 'thinking' }
  | { readonly kind: 'running'; readonly tool: string }
  | { readonly kind: 'waiting'; readonly for: string };

/** Tracks what the agent is doing and when it stopped being idle, so that the prompt can show both. */
export class Activity {
  #phase: Phase = { kind: 'idle' };
  #sinceMs = 0;

  /** Elapsed time is counted from the end of the last idle phase, not from the start of each phase. */
  enter(phase: Phase, nowMs: number): void {
    if (this.#phase.kind === 'idle') this.#sinceMs = nowMs;
    this.#phase = phase;
  }

  get isIdle(): boolean {
    return this.#phase.kind === 'idle';
  }

  elapsedMs(nowMs: number): number {
    return this.isIdle ? 0 : nowMs - this.#sinceMs;
  }

  /** Returns e.g. `thinking 12s`; empty when the agent is idle. */
  describe(nowMs: number): string {
    const phase = this.#phase;
    if (phase.kind === 'idle') return '';
    const seconds = Math.floor(this.elapsedMs(nowMs) / 1_000);
    return `${describePhase(phase)} ${seconds}s`;
  }
}

function describePhase(phase: Exclude<Phase, { kind: 'idle' }>): string {
  switch (phase.kind) {
    case 'running':
      return `running ${phase.tool}`;
    case 'waiting':
      return `waiting for ${phase.for}`;
    case 'sending':
    case 'thinking':
      return phase.kind;
  }
}
