import type { WireFrame } from './wire-protocol';

/** Where to stop a client. */
export interface StepTrap {
  /** A label of the steps that `WireProxy.steps` returns. */
  readonly label: string;
  /**
   * `before`: the message is never forwarded. `after`: the message is forwarded, but its response is not; a message
   * that gets no response is just forwarded.
   */
  readonly when: 'before' | 'after';
  /** Which message with that label, counted from when the trap or hold is set; by default the first. */
  readonly occurrence?: number;
}

/** A step that the client took, and when. */
export interface RecordedStep {
  readonly label: string;
  /** As measured by `performance.now()` in this process. */
  readonly atMs: number;
}

export interface ArmedTrap {
  readonly isSprung: boolean;
  /** Forwards everything again. */
  disarm(): void;
}

/** Stops one message while everything else passes. */
export interface ArmedHold {
  readonly isHeld: boolean;
  /** Disarms the hold, if no message has been stopped yet; a message that has been stopped is lost. */
  release(): void;
}

/** What to do with a message. */
export type Verdict = 'pass' | 'hold' | 'spring' | 'pass and spring';

interface ArmedStep extends StepTrap {
  seen: number;
  isReached: boolean;
  /** The response to stop, and the connection of its request. */
  answer?: { readonly link: object; readonly key: string };
}

/** Records steps, holds messages back and springs the armed trap. */
export class WireTraps {
  #trap: (ArmedStep & { readonly onSprung: () => void }) | undefined;
  readonly #holds = new Set<ArmedStep>();
  #recorded: RecordedStep[] | undefined;

  record(): void {
    this.#recorded = [];
  }

  recording(): readonly RecordedStep[] {
    return this.#recorded ?? [];
  }

  /** Arms a trap and replaces the previous one. */
  trap(trap: StepTrap, onSprung: () => void): ArmedTrap {
    const armed = { ...arm(trap), onSprung };
    this.#trap = armed;
    return {
      get isSprung() {
        return armed.isReached;
      },
      disarm: () => {
        if (this.#trap === armed) this.#trap = undefined;
      },
    };
  }

  /** Stops one message, or its response, and nothing else. */
  hold(trap: StepTrap): ArmedHold {
    const armed = arm(trap);
    this.#holds.add(armed);
    return {
      get isHeld() {
        return armed.isReached;
      },
      release: () => void this.#holds.delete(armed),
    };
  }

  /** Records the message if it is a step, and decides what to do with it. */
  judge(frame: WireFrame, link: object): Verdict {
    if (frame.step !== undefined)
      this.#recorded?.push({ label: frame.step, atMs: performance.now() });
    if (this.#trap) {
      const verdict = verdictOf(this.#trap, frame, link);
      if (verdict !== 'pass') return verdict === 'stop' ? 'spring' : 'pass and spring';
    }
    let isHeld = false;
    for (const hold of this.#holds) {
      const verdict = verdictOf(hold, frame, link);
      hold.isReached ||= verdict !== 'pass';
      isHeld ||= verdict === 'stop';
    }
    return isHeld ? 'hold' : 'pass';
  }

  /** Springs the armed trap; call it only when no message can pass any more. */
  spring(): void {
    const trap = this.#trap;
    if (!trap) return;
    this.#trap = undefined;
    trap.isReached = true;
    trap.onSprung();
  }
}

function arm(trap: StepTrap): ArmedStep {
  return { ...trap, seen: 0, isReached: false };
}

/**
 * Decides what a trap or hold does with a message. `pass and stop` is for a message that gets no response, if `when` is
 * `after`.
 */
function verdictOf(
  armed: ArmedStep,
  frame: WireFrame,
  link: object,
): 'pass' | 'stop' | 'pass and stop' {
  if (armed.answer)
    return armed.answer.link === link && armed.answer.key === frame.answers ? 'stop' : 'pass';
  if (armed.isReached || frame.step !== armed.label) return 'pass';
  armed.seen += 1;
  if (armed.seen !== (armed.occurrence ?? 1)) return 'pass';
  if (armed.when === 'before') return 'stop';
  if (frame.awaits === undefined) return 'pass and stop';
  armed.answer = { link, key: frame.awaits };
  return 'pass';
}
