import type { ListModelsResponse, Model, ModelInUse } from '@daycare/contracts/agent-runtime';

export const localModel = 'local/echo';
const example = 'npx daycare model add anthropic/claude-sonnet-5-5 --use';

/** The model that agents use, and the command that changes it if it is the local one. */
export interface ModelAdvice {
  readonly model: string;
  /** A remark on the model; empty when nothing is wrong with it. */
  readonly remark: string;
  /** Empty when there is nothing to change. */
  readonly command: string;
}

/** `scope` contains the options of `daycare model set` that say for whom to change the model, e.g. ` --instance`. */
export function adviseOnModel(
  current: Pick<ModelInUse, 'model' | 'choices'> | undefined,
  { models, providers }: Pick<ListModelsResponse, 'models' | 'providers'>,
  scope = '',
): ModelAdvice {
  const { name: model = '', problem = '' } = current?.model ?? {};
  if (model !== localModel)
    return { model, remark: problem || fallbackRemark(model, current?.choices[0]), command: '' };
  const remark = 'a scripted model that only repeats what you say';
  const provider = providers.find((name) => name !== 'local');
  if (provider === undefined) return { model, remark, command: example };
  const listedModel = models.find(({ name }) => name.startsWith(`${provider}/`))?.name;
  const command = `npx daycare model set ${listedModel ?? `${provider}/<model>`}${scope}`;
  return { model, remark, command };
}

/** Returns a remark if a fallback is used instead of the first choice; empty otherwise. */
function fallbackRemark(model: string, first: Model | undefined): string {
  if (!first || first.name === model) return '';
  return `instead of ${first.name}: ${first.problem}`;
}

/** Renders the advice as lines of text. */
export function adviceLines({ model, remark, command }: ModelAdvice): string[] {
  const first = `Model: ${model}${remark === '' ? '' : ` (${remark})`}`;
  return command === '' ? [first] : [first, `Use a real one: ${command}`];
}
