import {
  AgentRole,
  ModelLevel,
  type GetModelRequest,
  type Model,
  type ModelInUse,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { RequestIds } from '../../client/rpc/request-ids';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { testTimeoutMs, withRuntime } from '../../models/runtime-as';
import { toAmount } from '../../output/money';
import { recordView } from '../../output/record';
import { tableView, type Column } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toWord, toYesNo } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { onlyAgent, onlySubuser, type ForAgent } from '../kit/options';
import { providerCommands } from './model-provider';

const testHint = 'Run "daycare model list" to see what is configured.';
const roles = ['user', 'subagent', 'cron', 'heartbeat'] as const;

interface ScopeOptions extends ForAgent {
  readonly subuser?: string;
  readonly role?: (typeof roles)[number];
  readonly instance?: boolean;
  readonly adminHeader?: string;
}

const scopeOptions = [
  onlyAgent('only this agent (default: all of yours)'),
  onlySubuser('only this subuser'),
  ['--role <role>', 'all agents with this role (admin only)', { choices: roles }],
  ['--instance', 'all users (admin only)'],
  adminHeaderOption,
] as const;

const list = defineCommand({
  name: 'list',
  description: 'list the known models of the configured providers, with prices per million tokens',
  examples: ['model list', 'model list -o json'],
  async run({ session }) {
    const { models, currency } = await (await session()).runtime.listModels({});
    return tableView(models, columnsIn(currency), 'No models.');
  },
});

const show = defineCommand<ScopeOptions>({
  name: 'show',
  description: 'show the model in use, the scope it was chosen for, and its fallbacks',
  options: [...scopeOptions],
  examples: ['model show', 'model show --agent work', 'model show --instance'],
  async run(call) {
    const { current } = await withRuntime(call, call.options, (runtime) =>
      runtime.getModel(scopeOf(call.options)),
    );
    return modelInUseView(current);
  },
});

const set = defineCommand<ScopeOptions & { readonly clear?: boolean }>({
  name: 'set',
  description: 'choose a model and its fallbacks; agents use it from their next turn on',
  args: [
    ['[models...]', 'models as provider/model, the preferred one first; see "daycare model list"'],
  ],
  options: [
    ...scopeOptions,
    ['--clear', 'clear the choice, so that the next more general one applies'],
  ],
  examples: [
    'model set anthropic/claude-sonnet-5-5',
    'model set openai/gpt-5.4-mini ollama/llama3 --agent work',
    'model set google/gemini-3.8-flash --instance',
    'model set --clear --subuser cook',
  ],
  async run(call) {
    const { args: models, options } = call;
    if ((models.length === 0) !== (options.clear ?? false))
      throw new Failure(
        exitCodes.usage,
        'Name at least one model, or use --clear without a model to remove the choice.',
        'Run "daycare model list" to see what you can use.',
      );
    const requestId = new RequestIds(call.global.requestId).next();
    const request = { requestId, ...scopeOf(options), models: [...models] };
    const { current } = await withRuntime(call, options, (runtime) => runtime.setModel(request));
    const level = toWord(ModelLevel, current?.level);
    return textView(`Now using ${current?.model?.name ?? ''} (chosen for the ${level}).`, current);
  },
});

const test = defineCommand<Pick<ScopeOptions, 'adminHeader' | 'instance'>>({
  name: 'test',
  description: 'test a model with a minimal call and explain any failure',
  args: [
    [
      '[model]',
      'provider/model (default: the one that your new conversations use or, with --instance, the default for all users)',
    ],
  ],
  options: [['--instance', 'call as the admin, so that no user is charged'], adminHeaderOption],
  examples: ['model test', 'model test openai/gpt-5.4-mini'],
  async run(call) {
    const { name, problem, latencyMs } = await withRuntime(call, call.options, async (runtime) => {
      const model =
        call.args[0] ?? (await runtime.getModel(scopeOf({}))).current?.model?.name ?? '';
      return {
        name: model,
        ...(await runtime.testModel({ model }, { timeoutMs: testTimeoutMs })),
      };
    });
    if (problem !== '') throw new Failure(exitCodes.failure, problem, testHint);
    return textView(`${name} answered in ${latencyMs} ms.`, { model: name, problem, latencyMs });
  },
});

function scopeOf({ agent, subuser, role }: ScopeOptions): GetModelRequest {
  const agentRole = role === undefined ? AgentRole.UNSPECIFIED : enumOf(AgentRole, role);
  return { userId: subuser ?? '', agentId: agent ?? '', role: agentRole };
}

function modelInUseView(current: ModelInUse | undefined): View {
  const names = (current?.choices ?? []).map(({ name, problem }) =>
    problem === '' ? name : `${name} (${problem})`,
  );
  const settings = (current?.settings ?? []).map(
    ({ level, models }) => `${toWord(ModelLevel, level)}: ${models.join(', ')}`,
  );
  return recordView(current, [
    ['model', current?.model?.name ?? ''],
    ['chosen for', toWord(ModelLevel, current?.level)],
    ['in order', names.join('\n')],
    ['settings', settings.join('\n')],
  ]);
}

function columnsIn(currency: string): readonly Column<Model>[] {
  return [
    ['MODEL', ({ name }) => name],
    ['WINDOW', ({ contextWindow }) => contextWindow],
    ['OUTPUT', ({ maxOutputTokens }) => maxOutputTokens],
    ['IMAGES', ({ images }) => toYesNo(images)],
    ['TOOLS', ({ tools }) => toYesNo(tools)],
    [`INPUT ${currency}`, (model) => priceIn(model, model.inputPriceMicros)],
    [`OUTPUT ${currency}`, (model) => priceIn(model, model.outputPriceMicros)],
  ];
}

function priceIn({ priceKnown }: Model, micros: number): string {
  return priceKnown ? toAmount(micros) : 'unknown';
}

export const modelCommands: readonly AnyCommand[] = [list, show, set, test, ...providerCommands];
