import { currentRun } from './run-servers';

/** Stops what global setup started. */
export default async function globalTeardown(): Promise<void> {
  await currentRun.servers?.stop();
}
