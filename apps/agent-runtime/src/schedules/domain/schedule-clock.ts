import type { ScheduleMoment } from './due-ticks';

/** A constant, so that all replicas have the same time whenever they were started. */
const baseMs = Date.UTC(2026, 0, 1);
const graceMs = 10 * 60_000;

/** The schedule clock: real time, unless it is sped up for a demonstration or test. */
export function scheduleTime(real: Date, speed: number): Date {
  return new Date(baseMs + (real.getTime() - baseMs) * speed);
}

/** The grace covers takeovers and stalls, which take as long in real time at any speed. */
export function scheduleMoment(real: Date, speed: number): ScheduleMoment {
  return { now: scheduleTime(real, speed), graceMs: graceMs * speed };
}
