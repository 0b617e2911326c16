import type { Logger } from '@daycare/rpc';
import type { CronStore, FiringCron } from '../store/cron-store';
import type { HeartbeatBatch, HeartbeatStore } from '../store/heartbeat-store';

export interface ScheduleRunnerParts {
  readonly crons: CronStore;
  readonly heartbeats: HeartbeatStore;
  readonly fireCron: (cron: FiringCron, mayGoOn: () => boolean) => Promise<void>;
  readonly fireHeartbeats: (batch: HeartbeatBatch, mayGoOn: () => boolean) => Promise<void>;
  /** The shards that this replica serves at this moment. */
  readonly servedShards: () => readonly number[];
  /** The time that schedules go by. */
  readonly scheduleNow: () => Date;
  readonly pollMs: number;
  readonly log: Logger;
}

/** What is known of every schedule. */
interface Scheduled {
  readonly userId: string;
  readonly shard: number;
}

const firedAtOnce = 16;

/**
 * Fires the schedules of the shards this replica serves. Should two replicas look after the same one, each
 * tick is still claimed by one of them.
 */
export class ScheduleRunner {
  #running: Promise<void> | undefined;
  #again = false;
  #isStopping = false;
  readonly #poll: NodeJS.Timeout;

  constructor(private readonly parts: ScheduleRunnerParts) {
    this.#poll = setInterval(() => this.look(), parts.pollMs);
  }

  /** Has what is due fired now, rather than at the next look. */
  look(): void {
    if (this.#isStopping) return;
    this.#again = this.#running !== undefined;
    this.#running ??= this.#lookAround().finally(() => {
      this.#running = undefined;
      if (this.#again) this.look();
    });
  }

  /** Claims nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    await this.#running;
  }

  async #lookAround(): Promise<void> {
    const { crons, heartbeats, servedShards, scheduleNow, fireCron, fireHeartbeats } = this.parts;
    const [shards, now] = [servedShards(), scheduleNow()];
    if (shards.length === 0) return;
    try {
      await Promise.all([
        this.#fireEach(crons.open(shards, now), fireCron),
        this.#fireEach(heartbeats.openBatches(shards, now), fireHeartbeats),
      ]);
    } catch (err) {
      this.parts.log.warn({ err }, 'cannot look for what is due; trying on');
    }
  }

  /** A few at a time; one that fails does not hold up the others. */
  async #fireEach<T extends Scheduled>(
    open: AsyncGenerator<T>,
    fire: (schedule: T, mayGoOn: () => boolean) => Promise<void>,
  ): Promise<void> {
    const next = async (): Promise<void> => {
      for await (const schedule of open) {
        if (this.#isStopping) return;
        await this.#fireOne(schedule, fire);
      }
    };
    await Promise.all(Array.from({ length: firedAtOnce }, next));
  }

  async #fireOne<T extends Scheduled>(
    schedule: T,
    fire: (schedule: T, mayGoOn: () => boolean) => Promise<void>,
  ): Promise<void> {
    const mayGoOn = (): boolean =>
      !this.#isStopping && this.parts.servedShards().includes(schedule.shard);
    try {
      await fire(schedule, mayGoOn);
    } catch (err) {
      this.parts.log.warn({ err, userId: schedule.userId }, 'cannot fire a schedule; trying again');
    }
  }
}
