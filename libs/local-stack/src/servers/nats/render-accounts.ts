import {
  groupsOf,
  hintRoutes,
  messageGroups,
  messageRoutes,
} from '@daycare/contracts/message-routes';
import { serviceNames, type ServiceName } from '../../services/service-catalog';

/** A subject on which some services may send to one service, which may be one of them. */
interface Crossing {
  readonly subject: string;
  readonly from: readonly ServiceName[];
  readonly to: ServiceName;
}

/** Returns the name of the variable in the server's configuration that contains a service's password. */
export function passwordVariable(service: string): string {
  return `${service.replaceAll('-', '_')}_password`;
}

/**
 * Renders the NATS server's accounts, one for each service. In its account, a service has its own stream, if messages
 * are addressed to it, and receives from other services only what the tables of routes let them send to it. With the
 * prefix `*`, the accounts apply to all installations that share the server.
 */
export function renderAccounts(prefix: string): string {
  const crossings = [...listMessages(prefix), ...listReceipts(prefix), ...listHints(prefix)];
  return [
    'accounts {',
    ...serviceNames.flatMap((service) => renderAccount(service, prefix, crossings)),
    '}',
    '',
  ].join('\n');
}

function listMessages(prefix: string): Crossing[] {
  return messageGroups.flatMap((group) => {
    const { from, to } = messageRoutes[group];
    return from.map((sender) => ({
      subject: `${prefix}.messages.${group}.${sender}.*`,
      from: [sender],
      to,
    }));
  });
}

function listReceipts(prefix: string): Crossing[] {
  const pairs = messageGroups.flatMap((group) =>
    messageRoutes[group].from.map((sender) => [sender, messageRoutes[group].to] as const),
  );
  const subjects = new Map(
    pairs.map(([sender, consumer]) => [
      `${prefix}.receipts.${sender}.${consumer}`,
      { from: [consumer], to: sender },
    ]),
  );
  return [...subjects].map(([subject, route]) => ({ subject, ...route }));
}

function listHints(prefix: string): Crossing[] {
  return hintRoutes.map((route) => ({ ...route, subject: `${prefix}.${route.subject}` }));
}

function renderAccount(
  service: ServiceName,
  prefix: string,
  crossings: readonly Crossing[],
): string[] {
  const groups = groupsOf(service);
  const sent = crossings.filter(({ from }) => from.includes(service));
  const received = crossings.filter(({ to }) => to === service);
  const exported = received.map(({ subject, from }) => ({
    subject,
    accounts: from.filter((name) => name !== service),
  }));
  return [
    `  ${service} {`,
    ...(groups.length > 0 ? ['    jetstream: enabled'] : []),
    '    users: [{',
    `      user: ${service}, password: $${passwordVariable(service)}`,
    '      permissions {',
    ...renderPermission('publish', [
      ...sent.map(({ subject }) => subject),
      ...jetStreamSubjects(service, prefix),
    ]),
    ...renderPermission('subscribe', subscriptionsOf(service, prefix)),
    '      }',
    '    }]',
    '    exports: [',
    ...exported.flatMap(({ subject, accounts }) =>
      accounts.length > 0
        ? [`      { service: "${subject}", accounts: [${accounts.join(', ')}] }`]
        : [],
    ),
    '    ]',
    '    imports: [',
    ...sent.flatMap(({ subject, to }) =>
      to === service ? [] : [`      { service: { account: ${to}, subject: "${subject}" } }`],
    ),
    '    ]',
    '  }',
  ];
}

/** Lists what a service subscribes to: receipts, hints, and its inbox, where messages from its own stream arrive. */
function subscriptionsOf(service: ServiceName, prefix: string): string[] {
  const hints = listHints(prefix).filter(({ to }) => to === service);
  return [
    `_INBOX_${service}.>`,
    `${prefix}.receipts.${service}.*`,
    ...hints.map(({ subject }) => subject),
  ];
}

/** Lists the subjects with which a service uses its own stream and the durable consumers of its groups. */
function jetStreamSubjects(service: ServiceName, prefix: string): string[] {
  const groups = groupsOf(service);
  if (groups.length === 0) return [];
  const stream = prefix === '*' ? '*' : `${prefix}-${service}`;
  const streamSubjects = ['CREATE', 'UPDATE', 'INFO', 'DELETE'].map(
    (verb) => `$JS.API.STREAM.${verb}.${stream}`,
  );
  return [
    '$JS.API.INFO',
    ...streamSubjects,
    ...groups.map((group) => `$JS.API.CONSUMER.CREATE.${stream}.*.${prefix}.messages.${group}.>`),
    ...['INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.*`),
    `$JS.ACK.${stream}.*.>`,
  ];
}

function renderPermission(verb: string, subjects: readonly string[]): string[] {
  return [
    `        ${verb}: [`,
    ...subjects.map((subject) => `          "${subject}"`),
    '        ]',
  ];
}
