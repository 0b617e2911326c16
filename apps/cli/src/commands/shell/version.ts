import { version } from '../../../package.json';
import { recordView } from '../../output/record';
import { defineCommand } from '../kit/command';

export const versionCommand = defineCommand({
  name: 'version',
  description: 'show the version of this program and of Node.js',
  examples: ['version', 'version -o json'],
  run: async () =>
    recordView({ version, node: process.version }, [
      ['daycare', version],
      ['node', process.version],
      ['platform', `${process.platform}-${process.arch}`],
    ]),
});
