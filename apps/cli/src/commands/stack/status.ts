import { checkServices, type ServiceHealth } from '../../client/rpc/check-services';
import { exitCodes } from '../../failure/exit-codes';
import { renderTable, type Column } from '../../output/table';
import { defineCommand } from '../kit/command';

const columns: readonly Column<ServiceHealth>[] = [
  ['SERVICE', ({ service }) => service],
  ['ADDRESS', ({ address }) => address],
  ['HEALTH', ({ health }) => health],
  ['LATENCY', ({ latencyMs }) => (latencyMs === undefined ? '' : `${latencyMs} ms`)],
];

export const statusCommand = defineCommand({
  name: 'status',
  description: 'show service health; fails if a service is not serving',
  examples: ['status', 'status -o json', 'status --context work'],
  async run({ settings, chosen, timeoutMs }) {
    const context = await chosen();
    const services = await checkServices(context, settings, timeoutMs);
    const isUp = services.every(({ health }) => health === 'serving');
    return {
      data: { context: context.name, services },
      render: (style) => `Context ${context.name}\n${renderTable(services, columns, '', style)}`,
      exitCode: isUp ? exitCodes.ok : exitCodes.failure,
    };
  },
});
