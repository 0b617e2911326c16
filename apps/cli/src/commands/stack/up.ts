import { AppError } from '@daycare/api';
import { readConfig, requireKnownVariables } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { defineCommand } from '../kit/command';
import { runDetached, runUp, type UpOptions } from './run-up';

export const upCommand = defineCommand<UpOptions>({
  name: 'up',
  description: 'start MongoDB, NATS, the services and the gateway, and keep them running',
  options: [
    ['--fresh', 'delete all data from earlier runs first'],
    ['--cluster', 'run a sharded MongoDB, three NATS servers and two processes of each service'],
    ['--detach', 'return once everything is ready, and keep it running in the background'],
    ['--verbose', "show the services' logs"],
    [
      '--data-dir <folder>',
      'folder for data and logs (default: .daycare, or .daycare-cluster with --cluster)',
    ],
  ],
  examples: ['up', 'up --detach', 'up --fresh --data-dir /tmp/daycare'],
  ownsScreen: true,
  async run({ options }) {
    try {
      const config = readConfig();
      requireKnownVariables(config.env);
      await (options.detach ? runDetached(options) : runUp(options, config));
    } catch (error) {
      // Whatever the error code is, the exit code is the same: the stack did not start.
      if (error instanceof AppError) throw new Failure(exitCodes.failure, error.message);
      throw error;
    }
    return undefined;
  },
});
