import type { ScheduleMoment } from './due-ticks';

/** A constant, so that the clocks of all replicas agree, no matter when each was started. */
const baseMs = Date.UTC(2026, 0, 1);
const graceMs = 10 * 60_000;

/** The schedule clock: real time, unless it is sped up for a demonstration or test. */
export function scheduleTime(real: Date, speed: number): Date {
  return new Date(baseMs + (real.getTime() - baseMs) * speed);
}

/** The grace covers takeovers and stalls; their real duration is the same at any speed, so it is multiplied. */
export function scheduleMoment(real: Date, speed: number): ScheduleMoment {
  return { now: scheduleTime(real, speed), graceMs: graceMs * speed };
}
