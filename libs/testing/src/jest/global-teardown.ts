import { currentRun } from './run-servers';

/** Stops what global setup started, in reverse order. */
export default async function globalTeardown(): Promise<void> {
  for (const part of currentRun.parts.splice(0).reverse()) await part.stop();
}
