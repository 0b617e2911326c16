import { CronPolls } from '../../domain/cron-polls';
import { HeartbeatPolls, pollsPerRead } from '../../domain/heartbeat-polls';
import type { CronStore, FiringCron } from '../../store/cron-store';
import type { HeartbeatBatch, HeartbeatStore } from '../../store/heartbeat-store';

export interface ScheduleRunnerDeps {
  readonly crons: CronStore;
  readonly heartbeats: HeartbeatStore;
  readonly fireCron: (cron: FiringCron, mayContinue: () => boolean) => Promise<void>;
  readonly fireHeartbeats: (batch: HeartbeatBatch, mayContinue: () => boolean) => Promise<void>;
  /** The shards that this replica currently serves. */
  readonly servedShards: () => readonly number[];
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
  readonly pollMs: number;
  /** How many times faster than real time the schedule clock runs. */
  readonly scheduleSpeed?: number;
  readonly log: { warn(fields: object, text: string): void };
}

/** The fields common to all schedules. */
interface Scheduled {
  readonly userId: string;
  readonly shard: number;
}

const maxConcurrentFires = 16;

/**
 * Fires the schedules in the shards that this replica serves. If two replicas serve the same shard, each tick is still
 * claimed by only one of them.
 */
export class ScheduleRunner {
  #running: Promise<void> | undefined;
  #mustPollAgain = false;
  #isStopping = false;
  readonly #cronPolls = new CronPolls();
  readonly #heartbeatPolls = new HeartbeatPolls();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly deps: ScheduleRunnerDeps) {
    this.#timer = setInterval(() => this.#poll(), deps.pollMs);
  }

  /** Fires due schedules now, rather than at the next poll. */
  poll(): void {
    this.#expect();
    this.#poll();
  }

  #poll(): void {
    if (this.#isStopping) return;
    this.#mustPollAgain = this.#running !== undefined;
    this.#running ??= this.#pollAll().finally(() => {
      this.#running = undefined;
      if (this.#mustPollAgain) this.poll();
    });
  }

  /** Stops claiming ticks; resolves once nothing is in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #pollAll(): Promise<void> {
    const { servedShards, scheduleNow } = this.deps;
    const [shards, now] = [servedShards(), scheduleNow()];
    if (shards.length === 0) return;
    try {
      await Promise.all([this.#fireCrons(shards, now), this.#fireHeartbeats(shards, now)]);
    } catch (err) {
      this.#expect();
      this.deps.log.warn({ err }, 'polling for due schedules failed; retrying');
    }
  }

  async #fireCrons(shards: readonly number[], now: Date): Promise<void> {
    const { crons, fireCron } = this.deps;
    const poll = this.#cronPolls.next(now);
    if (poll === 'none') return;
    const open = poll === 'sweep' ? crons.findOpen(shards, now) : crons.findOpenTicks(shards, now);
    await this.#fireEach(open, (cron, mayContinue) => {
      // Firing may fail, or leave more ticks to catch up on.
      this.#cronPolls.expectSoon();
      return fireCron(cron, mayContinue);
    });
  }

  async #fireHeartbeats(shards: readonly number[], now: Date): Promise<void> {
    const { heartbeats, fireHeartbeats, pollMs, scheduleSpeed = 1 } = this.deps;
    if (!this.#heartbeatPolls.next(now)) return;
    const until = new Date(now.getTime() + pollsPerRead * pollMs * scheduleSpeed);
    await this.#fireEach(heartbeats.findOpenBatches(shards, until), async (batch, mayContinue) => {
      const { firing, nextFireAt } = batch;
      if (!firing && nextFireAt && nextFireAt > now) return this.#heartbeatPolls.expect(nextFireAt);
      // Firing may fail, or leave more ticks to catch up on.
      this.#heartbeatPolls.expectNow();
      await fireHeartbeats(batch, mayContinue);
    });
  }

  /** Makes the next poll look for due crons and due heartbeats. */
  #expect(): void {
    this.#cronPolls.expectSoon();
    this.#heartbeatPolls.expectNow();
  }

  /** Fires a few schedules at a time; one that fails does not block the others. */
  async #fireEach<T extends Scheduled>(
    open: AsyncGenerator<T>,
    fire: (schedule: T, mayContinue: () => boolean) => Promise<void>,
  ): Promise<void> {
    const work = async (): Promise<void> => {
      for await (const schedule of open) {
        if (this.#isStopping) return;
        await this.#fireOne(schedule, fire);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentFires }, work));
  }

  async #fireOne<T extends Scheduled>(
    schedule: T,
    fire: (schedule: T, mayContinue: () => boolean) => Promise<void>,
  ): Promise<void> {
    const mayContinue = (): boolean =>
      !this.#isStopping && this.deps.servedShards().includes(schedule.shard);
    try {
      await fire(schedule, mayContinue);
    } catch (err) {
      this.deps.log.warn({ err, userId: schedule.userId }, 'firing a schedule failed; retrying');
    }
  }
}
