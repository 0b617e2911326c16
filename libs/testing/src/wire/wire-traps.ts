import type { WireFrame } from './wire-protocol';

/** Where to stop a client. */
export interface StepTrap {
  /** The label as in `steps`. */
  readonly label: string;
  /**
   * `before`: the message is never forwarded. `after`: the message is forwarded, its answer is not; a
   * message without an answer is just forwarded.
   */
  readonly when: 'before' | 'after';
  /** Which message with that label, counted from now; by default the first. */
  readonly occurrence?: number;
}

export interface ArmedTrap {
  readonly isSprung: boolean;
  /** Forwards everything again. */
  disarm(): void;
}

/** What to do with a message. */
export type Verdict = 'pass' | 'spring' | 'pass and spring';

interface Waiting extends StepTrap {
  readonly onSprung: () => void;
  seen: number;
  isSprung: boolean;
  /** The answer that springs the trap, and the connection of its request. */
  answer?: { readonly link: object; readonly key: string };
}

/** Records steps and springs the armed trap. */
export class WireTraps {
  #waiting: Waiting | undefined;
  #recorded: string[] | undefined;

  record(): void {
    this.#recorded = [];
  }

  steps(): string[] {
    return [...(this.#recorded ?? [])];
  }

  /** Arms a trap and replaces the previous one. */
  trap(trap: StepTrap, onSprung: () => void): ArmedTrap {
    const waiting: Waiting = { ...trap, onSprung, seen: 0, isSprung: false };
    this.#waiting = waiting;
    return {
      get isSprung() {
        return waiting.isSprung;
      },
      disarm: () => {
        if (this.#waiting === waiting) this.#waiting = undefined;
      },
    };
  }

  /** Records the step, if it is one, and decides whether the trap springs. */
  judge(frame: WireFrame, link: object): Verdict {
    const { answer } = this.#waiting ?? {};
    if (answer?.link === link && answer.key === frame.answers) return 'spring';
    if (frame.step === undefined) return 'pass';
    this.#recorded?.push(frame.step);
    const waiting = this.#waiting;
    if (waiting?.label !== frame.step) return 'pass';
    waiting.seen += 1;
    if (waiting.seen !== (waiting.occurrence ?? 1)) return 'pass';
    if (waiting.when === 'before') return 'spring';
    if (frame.awaits === undefined) return 'pass and spring';
    waiting.answer = { link, key: frame.awaits };
    return 'pass';
  }

  /** Springs the armed trap. Call it when no message can pass any more. */
  spring(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    waiting.isSprung = true;
    waiting.onSprung();
  }
}
