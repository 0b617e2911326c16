import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type EndpointTarget,
} from '@daycare/contracts/topology';
import { collect } from '../client/pages';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { recordView } from '../output/record';
import { tableView } from '../output/table';
import { textView, type View } from '../output/view';
import { toTime, toWord } from '../output/words';
import { defineCommand, type AnyCommand } from './command';
import { limitOption, type Limited } from './options';

const modes = {
  public: EndpointMode.PUBLIC,
  'local-network': EndpointMode.LOCAL_NETWORK,
} as const;
const auths = { none: EndpointAuth.NONE, password: EndpointAuth.PASSWORD } as const;
const id = ['<id>', 'as "daycare expose list" shows it'] as const;
const targetForms = 'port:N, unix:PATH or agent:ID';
const hints = { NOT_FOUND: 'See "daycare expose list" for the ids.' };

interface Reach {
  readonly mode?: keyof typeof modes;
  readonly auth?: keyof typeof auths;
}

const modeChoice = { choices: Object.keys(modes) };
const authChoice = { choices: Object.keys(auths) };

const create = defineCommand<Required<Reach>>({
  name: 'create',
  description: 'make a port, a socket or an agent of yours reachable over HTTP',
  args: [
    ['<name>', 'what it is called, up to 100 characters'],
    ['<target>', targetForms],
  ],
  options: [
    ['--mode <mode>', 'from where it is reached', { ...modeChoice, default: 'public' }],
    ['--auth <auth>', 'what a visitor has to show', { ...authChoice, default: 'none' }],
  ],
  examples: ['expose create site port:8080', 'expose create hook agent:clx3k2… --auth password'],
  async run({ session, args: [name = '', target = ''], options }) {
    const { topology, requestIds } = await session();
    const { endpoint, password } = await topology.createEndpoint({
      requestId: requestIds.next(),
      name,
      target: parseTarget(target),
      mode: modes[options.mode],
      auth: auths[options.auth],
    });
    return endpointView(endpoint, password);
  },
});

interface UpdateOptions extends Reach {
  readonly name?: string;
  readonly target?: string;
  readonly rotatePassword?: boolean;
}

const update = defineCommand<UpdateOptions>({
  name: 'update',
  description: 'change an endpoint under its URL; what is not named stays as it is',
  args: [id],
  options: [
    ['--name <name>', 'what it is called'],
    ['--target <target>', targetForms],
    ['--mode <mode>', 'from where it is reached', modeChoice],
    ['--auth <auth>', 'what a visitor has to show', authChoice],
    ['--rotate-password', 'draw a new password; the old one ends at once'],
  ],
  examples: ['expose update clx3k2… --target port:8081', 'expose update clx3k2… --rotate-password'],
  hints,
  async run({ session, args: [endpointId = ''], options }) {
    const { topology, requestIds } = await session();
    const { endpoint, password } = await topology.updateEndpoint({
      requestId: requestIds.next(),
      endpointId,
      name: options.name ?? '',
      ...(options.target === undefined ? {} : { target: parseTarget(options.target) }),
      mode: options.mode ? modes[options.mode] : EndpointMode.UNSPECIFIED,
      auth: options.auth ? auths[options.auth] : EndpointAuth.UNSPECIFIED,
      rotatePassword: options.rotatePassword ?? false,
    });
    return endpointView(endpoint, password);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'take an endpoint away and end its connections',
  args: [id],
  examples: ['expose remove clx3k2…'],
  hints,
  async run({ session, args: [endpointId = ''] }) {
    const { topology, requestIds } = await session();
    await topology.deleteEndpoint({ requestId: requestIds.next(), endpointId });
    return textView(`Removed endpoint ${endpointId}`, { endpointId });
  },
});

const list = defineCommand<Limited>({
  name: 'list',
  description: 'your endpoints, oldest first',
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
        ['MODE', ({ mode }) => toWord('ENDPOINT_MODE', mode)],
        ['AUTH', ({ auth }) => toWord('ENDPOINT_AUTH', auth)],
        ['URL', ({ url }) => url],
      ],
      'Nothing is exposed.',
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
  throw new Failure(exitCodes.usage, `"${text}" is not a target.`, `It takes ${targetForms}.`);
}

const targetPrefix = { port: 'port', unixPath: 'unix', agentId: 'agent' } as const;

function targetText(target: EndpointTarget | undefined): string {
  const chosen = target?.target;
  return chosen ? `${targetPrefix[chosen.$case]}:${chosen.value}` : '';
}

function endpointView(endpoint: Endpoint | undefined, password: string): View {
  return recordView({ ...endpoint, ...(password === '' ? {} : { password }) }, [
    ['id', endpoint?.id ?? ''],
    ['name', endpoint?.name ?? ''],
    ['url', endpoint?.url ?? ''],
    ['target', targetText(endpoint?.target)],
    ['mode', toWord('ENDPOINT_MODE', endpoint?.mode ?? '')],
    ['auth', toWord('ENDPOINT_AUTH', endpoint?.auth ?? '')],
    ['password', password === '' ? '' : `${password} (shown only now)`],
    ['updated', toTime(endpoint?.updatedAt)],
  ]);
}

export const exposeCommands: readonly AnyCommand[] = [create, update, remove, list];
