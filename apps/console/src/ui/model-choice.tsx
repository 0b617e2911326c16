import {
  AgentRole,
  ModelLevel,
  type Model,
  type ModelInUse,
} from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { daycare } from '../data/client';
import { useResource } from '../data/resource';
import { Button } from './button';
import { Select } from './field';
import { Badge } from './layout';
import { Loaded } from './states';

/** What the choice is made for: all of my agents (both ids are empty), one of my subusers, or one agent. */
export interface ModelTarget {
  readonly userId: string;
  readonly agentId: string;
}

const levels: Readonly<Partial<Record<ModelLevel, string>>> = {
  [ModelLevel.AGENT]: 'chosen for this agent',
  [ModelLevel.SUBUSER]: 'chosen for this subuser',
  [ModelLevel.USER]: 'chosen by you',
  [ModelLevel.ROLE]: 'set by the operator for this kind of agent',
  [ModelLevel.INSTANCE]: 'set by the operator',
};

/** Shows the model in use and the reason for it, and lets the person change it. */
export function ModelChoice({
  target,
  ownLevel,
}: {
  readonly target: ModelTarget;
  /** The level at which a choice made here applies. */
  readonly ownLevel: ModelLevel;
}) {
  const { agentRuntime } = daycare.rpc;
  const resource = useResource(
    async (signal) => {
      const request = { ...target, role: AgentRole.UNSPECIFIED };
      const [{ current }, { models }] = await Promise.all([
        agentRuntime.getModel(request, { signal }),
        agentRuntime.listModels({}, { signal }),
      ]);
      return { current, models };
    },
    [target.userId, target.agentId],
  );
  return (
    <Loaded resource={resource} lines={1}>
      {({ current, models }) => (
        <ChoiceForm
          {...{ target, ownLevel, current, models }}
          onSaved={() => void resource.reload()}
        />
      )}
    </Loaded>
  );
}

interface ChoiceFormProps {
  readonly target: ModelTarget;
  readonly ownLevel: ModelLevel;
  readonly current: ModelInUse | undefined;
  readonly models: readonly Model[];
  readonly onSaved: () => void;
}

function ChoiceForm({ target, ownLevel, current, models, onSaved }: ChoiceFormProps) {
  const ownModels = current?.settings.find(({ level }) => level === ownLevel)?.models ?? [];
  const [choice, setChoice] = useState(ownModels[0] ?? '');
  const [fallback, setFallback] = useState(ownModels[1] ?? '');
  const chosenModels = [choice, fallback].filter(
    (name, at, all) => name !== '' && all.indexOf(name) === at,
  );
  const save = useAction(async (requestId, names: readonly string[]) => {
    await daycare.rpc.agentRuntime.setModel({
      ...target,
      requestId,
      role: AgentRole.UNSPECIFIED,
      models: [...names],
    });
    onSaved();
    return names.length === 0
      ? 'The choice was removed.'
      : `${names[0]} will be used from the next turn.`;
  });
  const isChanged = chosenModels.join() !== ownModels.slice(0, 2).join();
  return (
    <div class="panel form">
      <InUse current={current} />
      <div class="form-row">
        <Select
          label="Model"
          value={choice}
          options={optionsOf(models, 'Use the default', ownModels)}
          onValue={setChoice}
        />
        <Select
          label="Fallback"
          value={choice === '' ? '' : fallback}
          options={optionsOf(models, 'None', ownModels)}
          onValue={setFallback}
        />
        <Button
          busy={save.isBusy}
          disabled={!isChanged}
          onClick={() => void save.run(choice === '' ? [] : chosenModels)}
        >
          Save
        </Button>
      </div>
      <TestModel name={choice || (current?.model?.name ?? '')} />
    </div>
  );
}

function InUse({ current }: { readonly current: ModelInUse | undefined }) {
  if (!current?.model) return <p class="muted">No model is configured.</p>;
  const { name, problem } = current.model;
  return (
    <p>
      In use: <strong>{name}</strong>{' '}
      <span class="muted">({levels[current.level] ?? 'by default'})</span>{' '}
      {problem !== '' && <Badge kind="warn">{problem}</Badge>}
    </p>
  );
}

function TestModel({ name }: { readonly name: string }) {
  const test = useAction(async () => {
    const { problem, latencyMs } = await daycare.rpc.agentRuntime.testModel({ model: name });
    return problem === '' ? `${name} answered in ${latencyMs} ms.` : `${name}: ${problem}`;
  });
  if (name === '') return null;
  return (
    <div>
      <Button busy={test.isBusy} onClick={() => void test.run()}>
        Test {name}
      </Button>
    </div>
  );
}

/** Returns an option for no model, for each known model, and for each chosen model that is not known. */
function optionsOf(models: readonly Model[], textOfNone: string, ownModels: readonly string[]) {
  const known = models.map(({ name, problem }) => ({
    value: name,
    text: problem === '' ? name : `${name} (currently unavailable)`,
  }));
  const unknownNames = ownModels.filter((name) => !models.some((model) => model.name === name));
  return [
    { value: '', text: textOfNone },
    ...known,
    ...unknownNames.map((name) => ({ value: name, text: name })),
  ];
}
