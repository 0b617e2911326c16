import type { ServiceStatus } from '@daycare/contracts/common';
import { serviceNames, type ServiceName } from '@daycare/local-stack/lookup';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { CallFailure } from '../../failure/call-failure';
import { exitCodes } from '../../failure/exit-codes';
import { renderTable, type Column } from '../../output/table';
import { toTime } from '../../output/words';
import { defineCommand } from '../kit/command';
import { asOperator, type OperatorClients, type OperatorOptions } from './operator';

/** The status of a service and its problems; if the status could not be read, the problem says why. */
interface ServiceReport {
  readonly service: ServiceName;
  readonly status: ServiceStatus | undefined;
  readonly problems: readonly string[];
}

const statusColumns: readonly Column<ServiceReport>[] = [
  ['SERVICE', ({ service }) => service],
  ['VERSION', ({ status }) => status?.version ?? ''],
  ['REPLICA', ({ status }) => status?.replica ?? ''],
  ['STARTED', ({ status }) => toTime(status?.startedAt)],
  ['WAITING', ({ status }) => status?.outbox?.waiting ?? ''],
  ['PROBLEMS', ({ problems }) => problems.join('; ')],
];

const outboxColumns: readonly Column<ServiceReport>[] = [
  ['SERVICE', ({ service }) => service],
  ['WAITING', ({ status }) => status?.outbox?.waiting ?? ''],
  ['OLDEST', ({ status }) => toTime(status?.outbox?.oldestAcceptedAt)],
  ['AGE', ({ status }) => ageOf(status?.outbox?.oldestAcceptedAt)],
];

export const statusCommand = defineCommand<OperatorOptions>({
  name: 'status',
  description:
    "show every service's version, problems and number of unacknowledged messages; fails if any has a problem",
  options: [adminHeaderOption],
  examples: ['admin status', 'admin status -o json', 'admin status --admin-header ./admin.header'],
  async run({ options, ...invocation }) {
    const services = await asOperator(invocation, options, readAll);
    const isHealthy = services.every(({ problems }) => problems.length === 0);
    return {
      data: { services },
      render: (style) => renderTable(services, statusColumns, '', style),
      exitCode: isHealthy ? exitCodes.ok : exitCodes.failure,
    };
  },
});

export const outboxCommand = defineCommand<OperatorOptions>({
  name: 'outbox',
  description:
    'show how many messages sent by each service have not been acknowledged yet, and since when',
  options: [adminHeaderOption],
  examples: ['admin outbox', 'admin outbox -o json'],
  async run({ options, ...invocation }) {
    const services = await asOperator(invocation, options, readAll);
    return {
      data: { services: services.map(({ service, status }) => ({ service, ...status?.outbox })) },
      render: (style) => renderTable(services, outboxColumns, '', style),
    };
  },
});

function readAll(clients: OperatorClients): Promise<ServiceReport[]> {
  return Promise.all(serviceNames.map((service) => read(service, clients)));
}

/** Does not fail if the call fails, but reports the reason as a problem of the service. */
async function read(service: ServiceName, clients: OperatorClients): Promise<ServiceReport> {
  try {
    const { status } = await clients[service].getServiceStatus({});
    return { service, status, problems: status?.problems ?? [] };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return { service, status: undefined, problems: [error.message] };
  }
}

/** Returns how long ago `time` was, in seconds; empty without a time. */
export function ageOf(time: Date | undefined): string {
  return time ? `${Math.max(0, Math.round((Date.now() - time.getTime()) / 1000))} s` : '';
}
