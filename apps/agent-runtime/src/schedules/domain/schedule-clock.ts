import type { ScheduleMoment } from './due-ticks';

/** A constant, so that all replicas' clocks agree, no matter when each replica was started. */
const baseMs = Date.UTC(2026, 0, 1);
const graceMs = 10 * 60_000;

/** Returns the schedule clock's time: real time, unless the clock is sped up for a demonstration or test. */
export function scheduleTime(real: Date, speed: number): Date {
  return new Date(baseMs + (real.getTime() - baseMs) * speed);
}

/**
 * The grace period covers stalls and takeovers of shards, which take the same real time at any speed, so it is
 * multiplied by the speed.
 */
export function scheduleMoment(real: Date, speed: number): ScheduleMoment {
  return { now: scheduleTime(real, speed), graceMs: graceMs * speed };
}
