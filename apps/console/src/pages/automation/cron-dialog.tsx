import { OverlapPolicy, type Cron } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { ActionForm } from '../../ui/action-form';
import { Dialog } from '../../ui/dialog';
import { Field, Select, TextArea } from '../../ui/field';

interface CronDialogProps {
  /** The cron to change, or `new`; undefined while the dialog is closed. */
  readonly cron: Cron | 'new' | undefined;
  readonly onClose: () => void;
}

const overlaps = [
  { value: OverlapPolicy.SKIP, text: 'Skip the new run' },
  { value: OverlapPolicy.QUEUE, text: 'Run it afterwards' },
  { value: OverlapPolicy.REPLACE, text: 'Stop the earlier run' },
];

type CronFields = Pick<Cron, 'name' | 'schedule' | 'prompt' | 'overlap' | 'quiet'>;

/** The fields that have their own error text; any other problem is shown below all fields. */
const fieldsWithProblem = ['name', 'schedule', 'prompt'];

/** Fields that this dialog does not offer; the CLI and agents can set them. */
const defaults = { timeZone: '', agentId: '', once: false };

/** Creates or changes a cron. */
export function CronDialog({ cron, onClose }: CronDialogProps) {
  return (
    <Dialog
      title={cron === 'new' ? 'New cron' : 'Edit cron'}
      isOpen={cron !== undefined}
      onClose={onClose}
    >
      <CronForm
        key={cron === 'new' ? 'new' : cron?.id}
        cron={cron === 'new' ? undefined : cron}
        onSaved={onClose}
      />
    </Dialog>
  );
}

function CronForm({
  cron,
  onSaved,
}: {
  readonly cron: Cron | undefined;
  readonly onSaved: () => void;
}) {
  const [name, setName] = useState(cron?.name ?? '');
  const [schedule, setSchedule] = useState(cron?.schedule ?? '0 8 * * 1-5');
  const [prompt, setPrompt] = useState(cron?.prompt ?? '');
  const [overlap, setOverlap] = useState<OverlapPolicy>(cron?.overlap ?? OverlapPolicy.SKIP);
  const [quiet, setQuiet] = useState(cron?.quiet ?? false);
  const save = useAction(async (requestId, fields: CronFields) => {
    const { agentRuntime } = daycare.rpc;
    if (cron) await agentRuntime.updateCron({ ...fields, requestId, cronId: cron.id });
    else await agentRuntime.createCron({ ...fields, ...defaults, requestId });
    onSaved();
    return cron ? `${fields.name} was changed.` : `${fields.name} was created.`;
  });
  const problemOf = (field: string): string =>
    save.problemField.value === field ? save.problem.value : '';
  return (
    <ActionForm
      action={save}
      onSubmit={() => void save.run({ name, schedule, prompt, overlap, quiet })}
      verb="Save"
    >
      <Field
        label="Name"
        required
        maxLength={100}
        problem={problemOf('name')}
        value={name}
        onValue={setName}
      />
      <Field
        label="Schedule"
        required
        hint="Minute, hour, day of month, month, day of week. “0 8 * * 1-5” is every weekday at eight."
        problem={problemOf('schedule')}
        value={schedule}
        onValue={setSchedule}
      />
      <TextArea
        label="Prompt"
        required
        hint="What the agent is asked each time."
        problem={problemOf('prompt')}
        value={prompt}
        onValue={setPrompt}
      />
      <Select
        label="If the previous run has not finished"
        value={overlap}
        options={overlaps}
        onValue={setOverlap}
      />
      <label class="choice">
        <input type="checkbox" checked={quiet} onChange={() => setQuiet(!quiet)} />
        <span>Do not show the answers in my conversation</span>
      </label>
      {!fieldsWithProblem.includes(save.problemField.value) && save.problem.value !== '' && (
        <p class="field-problem" role="alert">
          {save.problem.value}
        </p>
      )}
    </ActionForm>
  );
}
