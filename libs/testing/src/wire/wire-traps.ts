import type { WireFrame } from './wire-protocol';

/** Where to stop a client. */
export interface StepTrap {
  /** As `steps` names it. */
  readonly label: string;
  /**
   * `before`: the message is never passed on. `after`: it is, and its answer, once there, is not; a
   * message that gets no answer is merely passed on.
   */
  readonly when: 'before' | 'after';
  /** Which of the messages of that label that come from now on; the first unless said otherwise. */
  readonly occurrence?: number;
}

export interface ArmedTrap {
  readonly isSprung: boolean;
  /** Lets everything pass again. */
  disarm(): void;
}

/** What is to become of a message. */
export type Verdict = 'pass' | 'spring' | 'pass and spring';

interface Waiting extends StepTrap {
  readonly onSprung: () => void;
  seen: number;
  isSprung: boolean;
  /** The answer that springs the trap, on the connection that asked. */
  answer?: { readonly link: object; readonly key: string };
}

/** Knows the steps that were seen and the one that is waited for. */
export class WireTraps {
  #waiting: Waiting | undefined;
  #recorded: string[] | undefined;

  record(): void {
    this.#recorded = [];
  }

  steps(): string[] {
    return [...(this.#recorded ?? [])];
  }

  /** Waits for one step; whatever was waited for until now is forgotten. */
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

  /** Notes the step, if it is one, and tells whether it is the one that is waited for. */
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

  /** To be called once nothing can pass any more. */
  spring(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    waiting.isSprung = true;
    waiting.onSprung();
  }
}
