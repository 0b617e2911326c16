import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type EndpointTarget,
} from '@daycare/contracts/topology';
import { collect } from '../../client/rpc/pages';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
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
const id = ['<id>', 'id from "daycare expose list"'] as const;
const targetForms = 'port:N, unix:PATH or agent:ID';
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
  'secret with which callers sign requests to an agent (default: a generated one)',
] as const;

const create = defineCommand<Required<Reach> & Signing>({
  name: 'create',
  description: 'expose a port, a Unix socket or an agent over HTTP',
  args: [
    ['<name>', 'name of the endpoint, up to 100 characters'],
    ['<target>', `what to expose: ${targetForms}`],
  ],
  options: [
    ['--mode <mode>', 'where it is reachable from', { ...modeChoice, default: 'public' }],
    ['--auth <auth>', 'how visitors authenticate', { ...authChoice, default: 'none' }],
    secretOption,
  ],
  examples: [
    'expose create site port:8080',
    'expose create hook agent:clx3k2… --auth password',
    'expose create ci agent:clx3k2… --auth github',
  ],
  async run({ session, args: [name = '', target = ''], options }) {
    const { topology, requestIds } = await session();
    const created = await topology.createEndpoint({
      requestId: requestIds.next(),
      name,
      target: parseTarget(target),
      mode: modes[options.mode],
      auth: auths[options.auth],
      secret: options.secret ?? '',
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
  description: 'change an endpoint; its URL and omitted options stay the same',
  args: [id],
  options: [
    ['--name <name>', 'new name'],
    ['--target <target>', `new target: ${targetForms}`],
    ['--mode <mode>', 'where it is reachable from', modeChoice],
    ['--auth <auth>', 'how visitors authenticate', authChoice],
    secretOption,
    [
      '--rotate-password',
      'generate a new password or secret; the old one stops working immediately',
    ],
  ],
  examples: ['expose update clx3k2… --target port:8081', 'expose update clx3k2… --rotate-password'],
  hints,
  async run({ session, args: [endpointId = ''], options }) {
    const { topology, requestIds } = await session();
    const updated = await topology.updateEndpoint({
      requestId: requestIds.next(),
      endpointId,
      name: options.name ?? '',
      ...(options.target === undefined ? {} : { target: parseTarget(options.target) }),
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
  args: [id],
  examples: ['expose remove clx3k2…'],
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
    const { topology } = await session();
    const endpoints = await collect(options.limit, async (page) => {
      const { endpoints: items, nextPageToken } = await topology.listEndpoints(page);
      return { items, nextPageToken };
    });
    return tableView(
      endpoints,
      [
        ['ID', (endpoint) => endpoint.id],
        ['NAME', ({ name }) => name],
        ['TARGET', ({ target }) => targetText(target)],
        ['MODE', ({ mode }) => toWord(EndpointMode, mode)],
        ['AUTH', ({ auth }) => toWord(EndpointAuth, auth)],
        ['URL', ({ url }) => url],
      ],
      'No endpoints yet.',
    );
  },
});

function parseTarget(text: string): EndpointTarget {
  const [, kind, value = ''] = /^(port|unix|agent):(.+)$/.exec(text) ?? [];
  if (kind === 'port' && /^\d{1,5}$/.test(value)) {
    return { target: { $case: 'port', value: Number(value) } };
  }
  if (kind === 'unix') return { target: { $case: 'unixPath', value } };
  if (kind === 'agent') return { target: { $case: 'agentId', value } };
  throw new Failure(exitCodes.usage, `"${text}" is not a valid target.`, `Use ${targetForms}.`);
}

const targetPrefix = { port: 'port', unixPath: 'unix', agentId: 'agent' } as const;

function targetText(target: EndpointTarget | undefined): string {
  const chosen = target?.target;
  return chosen ? `${targetPrefix[chosen.$case]}:${chosen.value}` : '';
}

interface Changed {
  readonly endpoint?: Endpoint | undefined;
  readonly password: string;
  readonly secret: string;
}

function endpointView({ endpoint, password, secret }: Changed): View {
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
