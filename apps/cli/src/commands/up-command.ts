import { AppError } from '@daycare/errors';
import { readConfig } from '../config';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { defineCommand } from './command';
import { up, type UpOptions } from './up';

export const upCommand = defineCommand<UpOptions>({
  name: 'up',
  description: 'start MongoDB, NATS and the four services, and keep them running',
  options: [
    ['--fresh', 'forget the data of earlier runs first'],
    ['--verbose', "show the services' logs"],
    ['--data-dir <folder>', 'where data and logs are kept (default: .daycare)'],
  ],
  examples: ['up', 'up --fresh --data-dir /tmp/daycare'],
  ownsScreen: true,
  async run({ options }) {
    try {
      await up(options, readConfig());
    } catch (error) {
      // Whatever is in the way, the stack did not start.
      if (error instanceof AppError) throw new Failure(exitCodes.failure, error.message);
      throw error;
    }
    return undefined;
  },
});
