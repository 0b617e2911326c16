import { safeLine } from '../../output/safe-text';
import type { Paint } from '../../terminal/colours';
import { Activity, type Phase } from './activity';

const prompt = '> ';
const tickMs = 1_000;
/** The number of ticks between two queries for what the agent is waiting for. */
const ticksPerQuery = 5;

export interface ActivityPromptDeps {
  readonly dim: Paint;
  /** Changes the prompt of the input line. */
  readonly setPrompt: (prompt: string) => void;
  /** Finds what the agent is waiting for, e.g. a model provider. */
  readonly findBlocker: () => Promise<string | undefined>;
}

/** The chat's prompt; while the agent works, it shows what the agent is doing and how long it has been working. */
export class ActivityPrompt {
  readonly #deps: ActivityPromptDeps;
  readonly #activity = new Activity();
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;

  constructor(deps: ActivityPromptDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  get isIdle(): boolean {
    return this.#activity.isIdle;
  }

  enter(phase: Phase): void {
    if (phase.kind === 'idle') this.#ticks = 0;
    this.#activity.enter(phase, performance.now());
    this.draw();
  }

  draw(): void {
    const status = this.#activity.describe(performance.now());
    this.#deps.setPrompt(status === '' ? prompt : `${this.#deps.dim(`${status} `)}${prompt}`);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (this.isIdle) return;
    this.draw();
    this.#ticks += 1;
    // A failure is ignored: the chat can continue without showing what the agent is waiting for.
    if (this.#ticks % ticksPerQuery === 0) void this.#updateWait().catch(() => undefined);
  }

  async #updateWait(): Promise<void> {
    const blocker = await this.#deps.findBlocker();
    if (blocker !== undefined && !this.isIdle)
      this.enter({ kind: 'waiting', for: safeLine(blocker) });
  }
}
