import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type EndpointTarget,
} from '@daycare/contracts/topology';
import type { Session } from '../../client/session';
import { CallFailure } from '../../failure/call-failure';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { resolveName } from '../../names/resolve';
import { listEndpoints } from '../../names/sources';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime, toWord } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';

const modes = {
  public: EndpointMode.PUBLIC,
  'local-network': EndpointMode.LOCAL_NETWORK,
} as const;
const auths = {
  none: EndpointAuth.NONE,
  password: EndpointAuth.PASSWORD,
  github: EndpointAuth.GITHUB,
  stripe: EndpointAuth.STRIPE,
  slack: EndpointAuth.SLACK,
} as const;
const endpointArg = [
  '<endpoint>',
  'name, or id from "daycare expose list"',
  { kind: 'endpoint' },
] as const;
const targetForms = 'port:N, unix:PATH or agent:NAME';
const portHint =
  'The operator allows ports by listing them in DAYCARE_EDGE_PORTS, e.g. DAYCARE_EDGE_PORTS=8080 npm start.';
const hints = { NOT_FOUND: 'Run "daycare expose list" to see your endpoints.' };

interface Reach {
  readonly mode?: keyof typeof modes;
  readonly auth?: keyof typeof auths;
}

interface Signing {
  readonly secret?: string;
}

const modeChoice = { choices: Object.keys(modes) };
const authChoice = { choices: Object.keys(auths) };

const secretOption = [
  '--secret <secret>',
  'secret with which callers sign requests; only with --auth github, stripe or slack (default: a generated one)',
] as const;
const newSecretOption = [
  '--secret <secret>',
  'new secret with which callers sign requests; only if they authenticate with github, stripe or slack (default: a generated one if --auth changes)',
] as const;

const create = defineCommand<Pick<Required<Reach>, 'mode'> & Reach & Signing>({
  name: 'create',
  description: 'expose a port, a Unix socket or an agent over HTTP',
  args: [
    ['<name>', 'name of the endpoint, up to 100 characters'],
    ['<target>', `what to expose: ${targetForms}`],
  ],
  options: [
    ['--mode <mode>', 'where the endpoint is reachable from', { ...modeChoice, default: 'public' }],
    [
      '--auth <auth>',
      'how visitors authenticate (default: password if the target is an agent, otherwise none)',
      authChoice,
    ],
    secretOption,
  ],
  examples: [
    'expose create hook agent:work',
    'expose create ci agent:work --auth github',
    'expose create site port:8080',
  ],
  async run({ session, args: [name = '', text = ''], options }) {
    const opened = await session();
    const target = await parseTarget(opened, text);
    // Without a password, anybody could talk to the agent.
    const defaultAuth = target.target?.$case === 'agentId' ? 'password' : 'none';
    const created = await opened.topology
      .createEndpoint({
        requestId: opened.requestIds.next(),
        name,
        target,
        mode: modes[options.mode],
        auth: auths[options.auth ?? defaultAuth],
        secret: options.secret ?? '',
      })
      .catch((error: unknown) => {
        throw explainTarget(error, text);
      });
    return endpointView(created);
  },
});

interface UpdateOptions extends Reach, Signing {
  readonly name?: string;
  readonly target?: string;
  readonly rotatePassword?: boolean;
}

const update = defineCommand<UpdateOptions>({
  name: 'update',
  description:
    'change an endpoint and close its connections; its URL and omitted options stay the same',
  args: [endpointArg],
  options: [
    ['--name <name>', 'new name'],
    ['--target <target>', `new target: ${targetForms}`],
    ['--mode <mode>', 'where the endpoint is reachable from', modeChoice],
    ['--auth <auth>', 'how visitors authenticate', authChoice],
    newSecretOption,
    [
      '--rotate-password',
      'generate a new password or secret; the old one stops working immediately',
    ],
  ],
  examples: ['expose update site --target port:8081', 'expose update site --rotate-password'],
  hints,
  async run({ session, args: [endpointId = ''], options }) {
    const opened = await session();
    const updated = await opened.topology.updateEndpoint({
      requestId: opened.requestIds.next(),
      endpointId,
      name: options.name ?? '',
      ...(options.target === undefined
        ? {}
        : { target: await parseTarget(opened, options.target) }),
      mode: options.mode ? modes[options.mode] : EndpointMode.UNSPECIFIED,
      auth: options.auth ? auths[options.auth] : EndpointAuth.UNSPECIFIED,
      rotatePassword: options.rotatePassword ?? false,
      secret: options.secret ?? '',
    });
    return endpointView(updated);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'remove an endpoint and close its connections',
  args: [endpointArg],
  examples: ['expose remove site'],
  hints,
  async run({ session, args: [endpointId = ''] }) {
    const { topology, requestIds } = await session();
    await topology.deleteEndpoint({ requestId: requestIds.next(), endpointId });
    return textView(`Removed endpoint ${endpointId}.`, { endpointId });
  },
});

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your endpoints, oldest first',
  options: [limitOption],
  examples: ['expose list', 'expose list -o json'],
  async run({ session, options }) {
    const endpoints = await listEndpoints(await session(), options.limit);
    return tableView(
      endpoints,
      [
        ['ID', (endpoint) => endpoint.id, 'id'],
        ['NAME', ({ name }) => name, 'long'],
        ['TARGET', ({ target }) => targetText(target), 'long'],
        ['MODE', ({ mode }) => toWord(EndpointMode, mode), 'wide'],
        ['AUTH', ({ auth }) => toWord(EndpointAuth, auth)],
        ['AGE', ({ createdAt }) => createdAt],
        ['URL', ({ url }) => url, 'long'],
      ],
      'No endpoints yet.',
    );
  },
});

async function parseTarget(session: Session, text: string): Promise<EndpointTarget> {
  const [, kind, value = ''] = /^(port|unix|agent):(.+)$/.exec(text) ?? [];
  if (kind === 'port' && /^\d{1,5}$/.test(value)) {
    return { target: { $case: 'port', value: Number(value) } };
  }
  if (kind === 'unix') return { target: { $case: 'unixPath', value } };
  if (kind === 'agent')
    return { target: { $case: 'agentId', value: await resolveName(session, 'agent', value) } };
  throw new Failure(exitCodes.usage, `"${text}" is not a valid target.`, `Use ${targetForms}.`);
}

/**
 * Explains a refused port: the operator, who may be the user themselves, has to allow it. Returns any other error
 * unchanged.
 */
function explainTarget(error: unknown, text: string): unknown {
  const { fields = [] } = error instanceof CallFailure ? error : { fields: [] };
  if (!fields.some(({ field }) => field.startsWith('target.port'))) return error;
  return new Failure(
    exitCodes.usage,
    `${text} cannot be exposed: the operator has not allowed this port.`,
    portHint,
  );
}

const targetPrefix = { port: 'port', unixPath: 'unix', agentId: 'agent' } as const;

function targetText(target: EndpointTarget | undefined): string {
  const chosen = target?.target;
  return chosen ? `${targetPrefix[chosen.$case]}:${chosen.value}` : '';
}

interface EndpointChange {
  readonly endpoint?: Endpoint | undefined;
  readonly password: string;
  readonly secret: string;
}

function endpointView({ endpoint, password, secret }: EndpointChange): View {
  const shown = { ...(password === '' ? {} : { password }), ...(secret === '' ? {} : { secret }) };
  return recordView({ ...endpoint, ...shown }, [
    ['id', endpoint?.id ?? ''],
    ['name', endpoint?.name ?? ''],
    ['url', endpoint?.url ?? ''],
    ['target', targetText(endpoint?.target)],
    ['mode', toWord(EndpointMode, endpoint?.mode)],
    ['auth', toWord(EndpointAuth, endpoint?.auth)],
    ['password', password === '' ? '' : `${password} (shown only once)`],
    ['secret', secret === '' ? '' : `${secret} (shown only once)`],
    ['updated', toTime(endpoint?.updatedAt)],
  ]);
}

export const exposeCommands: readonly AnyCommand[] = [create, update, remove, list];
