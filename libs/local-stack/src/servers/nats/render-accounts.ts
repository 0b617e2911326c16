import {
  groupsOf,
  hintRoutes,
  messageGroups,
  messageRoutes,
} from '@daycare/contracts/message-routes';
import { serviceNames, type ServiceName } from '../../services/service-catalog';

/** A subject that some services may send to another one. */
interface Crossing {
  readonly subject: string;
  readonly from: readonly ServiceName[];
  readonly to: ServiceName;
}

/** The variable of the server's configuration with the password of a service. */
export function passwordVariable(service: string): string {
  return `${service.replaceAll('-', '_')}_password`;
}

/**
 * The accounts of the NATS server: one for each service, in which it has its own streams and sees nothing of
 * the others but what the table of routes lets them send to it. With the prefix `*` they apply to all
 * installations that share the server.
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
    ...list('publish', [...sent.map(({ subject }) => subject), ...jetStream(service, prefix)]),
    ...list('subscribe', subscribed(service, prefix)),
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

/** What a service subscribes to: receipts, hints, and its inbox, where the messages of its own stream arrive. */
function subscribed(service: ServiceName, prefix: string): string[] {
  const hints = listHints(prefix).filter(({ to }) => to === service);
  return [
    `_INBOX_${service}.>`,
    `${prefix}.receipts.${service}.*`,
    ...hints.map(({ subject }) => subject),
  ];
}

/** What a service needs from JetStream: its own stream, and durable consumers of its groups. */
function jetStream(service: ServiceName, prefix: string): string[] {
  const groups = groupsOf(service);
  if (groups.length === 0) return [];
  const stream = prefix === '*' ? '*' : `${prefix}-${service}`;
  const ofStream = ['CREATE', 'UPDATE', 'INFO', 'DELETE'].map(
    (verb) => `$JS.API.STREAM.${verb}.${stream}`,
  );
  return [
    '$JS.API.INFO',
    ...ofStream,
    ...groups.map((group) => `$JS.API.CONSUMER.CREATE.${stream}.*.${prefix}.messages.${group}.>`),
    ...['INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.*`),
    `$JS.ACK.${stream}.*.>`,
  ];
}

function list(verb: string, subjects: readonly string[]): string[] {
  return [
    `        ${verb}: [`,
    ...subjects.map((subject) => `          "${subject}"`),
    '        ]',
  ];
}
