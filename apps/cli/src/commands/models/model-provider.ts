import { readFile } from 'node:fs/promises';
import { AgentRole, type ModelProvider } from '@daycare/contracts/agent-runtime';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { RequestIds } from '../../client/rpc/request-ids';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { describeModel, parsePrice, type DescribeOptions } from '../../models/describe-model';
import { testTimeoutMs, withRuntime, type Runtime } from '../../models/runtime-as';
import { tableView, type Column } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toYesNo } from '../../output/words';
import { promptSecret } from '../../terminal/prompt-secret';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand, type Call } from '../kit/command';
import { parseCount } from '../kit/options';

interface AddOptions extends DescribeOptions {
  readonly keyFile?: string;
  readonly use?: boolean;
  readonly adminHeader?: string;
}

const yesOrNo = { choices: ['yes', 'no'] } as const;
const vendors = ['anthropic', 'openai', 'google'];

const add = defineCommand<AddOptions>({
  name: 'add',
  description:
    'add a model provider and its key, which is stored encrypted; if you name a model, it is tested (admin only)',
  args: [
    [
      '<name>',
      'provider to add: anthropic, openai, google, ollama or a name of your own; or provider/model to specify one of its models too',
    ],
    ['[url]', 'address of an OpenAI-compatible endpoint'],
  ],
  options: [
    ['--use', 'if the model responds, make it the default for all users'],
    [
      '--key-file <file>',
      'file with the API key; - reads standard input (default: at a terminal, ask for the key)',
    ],
    ['--window <tokens>', "the model's context window", { parse: parseCount }],
    ['--max-output <tokens>', 'maximum length of a reply', { parse: parseCount }],
    [
      '--price <input:output[:cached]>',
      'price per million tokens of input, output and cached input, e.g. 3:15:0.30',
      { parse: parsePrice },
    ],
    ['--images <yes|no>', 'whether the model accepts images', yesOrNo],
    ['--tools <yes|no>', 'whether the model can call tools', yesOrNo],
    ['--reasoning <yes|no>', 'whether the model reasons before it replies', yesOrNo],
    adminHeaderOption,
  ],
  examples: [
    'model add anthropic/claude-sonnet-5-5 --use',
    'model add groq/llama-3.3-70b https://api.groq.com/openai/v1 --window 131072 --price 0.59:0.79',
    'model add openai --key-file key.txt',
    'model add ollama/llama3.3 http://gpu:11434/v1 --use',
  ],
  // The prompt for the key would collide with a spinner.
  ownsScreen: true,
  async run(call) {
    const { name, model } = splitName(call.args[0] ?? '');
    const description = describeModel(model, call.options);
    if (call.options.use && model === '')
      throw new Failure(
        exitCodes.usage,
        'With --use, name a model.',
        `For example, ${name}/<model>.`,
      );
    const apiKey = await readKey(name, call);
    const requestId = new RequestIds(call.global.requestId).next();
    const url = call.args[1] ?? '';
    const request = { requestId, name, url, apiKey, models: description ? [description] : [] };
    return asAdmin(call, async (runtime) => {
      const { provider } = await runtime.addModelProvider(request);
      if (model === '')
        return textView(`Added ${name}. Try: daycare model test ${name}/<model>`, provider);
      return tryModel(runtime, `${name}/${model}`, call, provider);
    });
  },
});

const providers = defineCommand<Pick<AddOptions, 'adminHeader'>>({
  name: 'providers',
  description: 'list the model providers, without their keys (admin only)',
  options: [adminHeaderOption],
  examples: ['model providers', 'model providers -o json'],
  run: (call) =>
    asAdmin(call, async (runtime) => {
      const { providers: found } = await runtime.listModelProviders({});
      return tableView(found, columns, 'No providers. Add one with "daycare model add".');
    }),
});

const remove = defineCommand<Pick<AddOptions, 'adminHeader'>>({
  name: 'remove',
  description: 'remove an added provider and its key (admin only)',
  args: [['<name>', 'name from "daycare model providers"']],
  options: [adminHeaderOption],
  examples: ['model remove groq'],
  run: (call) =>
    asAdmin(call, async (runtime) => {
      const [name = ''] = call.args;
      const requestId = new RequestIds(call.global.requestId).next();
      await runtime.removeModelProvider({ requestId, name });
      return textView(`Removed ${name}.`, { name });
    }),
});

/**
 * Tests a model and, with --use, makes it the default if it responds. The provider stays either way, so that its key
 * can be replaced.
 */
async function tryModel(
  runtime: Runtime,
  model: string,
  { options }: Call<AddOptions>,
  provider: ModelProvider | undefined,
): Promise<View> {
  const { problem } = await runtime.testModel({ model }, { timeoutMs: testTimeoutMs });
  if (problem !== '')
    throw new Failure(
      exitCodes.failure,
      `The provider was added, but: ${problem}`,
      'Fix the problem and run the same command again.',
    );
  if (!options.use)
    return textView(
      `Added; ${model} responds. To use it, run "daycare model set ${model} --instance".`,
      provider,
    );
  const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
  await runtime.setModel({
    requestId: new RequestIds(undefined).next(),
    ...scope,
    models: [model],
  });
  return textView(`Added; ${model} responds and is now the default for all users.`, provider);
}

function asAdmin(
  call: Call<Pick<AddOptions, 'adminHeader'>>,
  use: (runtime: Runtime) => Promise<View>,
): Promise<View> {
  return withRuntime(call, { ...call.options, instance: true }, use);
}

/**
 * Reads a provider's key; undefined if none was given, which keeps a stored key. A key is never an argument, because
 * others could see it in the process list.
 */
async function readKey(
  name: string,
  { args, options: { keyFile } }: Call<AddOptions>,
): Promise<string | undefined> {
  if (keyFile === '-') return (await readText('-')).trim();
  if (keyFile !== undefined) return (await readFile(keyFile, 'utf8')).trim();
  if (!process.stdin.isTTY) return undefined;
  const isNeeded = vendors.includes(name) && args[1] === undefined;
  const hint = isNeeded ? '' : '; leave it empty for no key, or to keep the stored one';
  const typed = await promptSecret(`API key for ${name} (not shown${hint}): `);
  if (typed === undefined) throw new Failure(exitCodes.failure, 'Nothing was added.', '');
  return typed.trim() || undefined;
}

/** Splits `<provider>/<model>`. The model may be missing, and its id may contain slashes. */
function splitName(text: string): { readonly name: string; readonly model: string } {
  const [name = '', ...rest] = text.split('/');
  return { name, model: rest.join('/') };
}

const columns: readonly Column<ModelProvider>[] = [
  ['PROVIDER', ({ name }) => name],
  ['URL', ({ url }) => url],
  ['KEY', ({ hasKey }) => toYesNo(hasKey)],
  ['ADDED', ({ added }) => toYesNo(added)],
  ['PROBLEM', ({ problem }) => problem],
];

export const providerCommands: readonly AnyCommand[] = [add, providers, remove];
