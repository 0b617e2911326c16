import { BudgetPeriod } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { ActionForm } from '../../ui/action-form';
import { Dialog } from '../../ui/dialog';
import { Field, Select } from '../../ui/field';
import { readMoney } from './money';

interface BudgetDialogProps {
  /** If not empty, only this subuser and its guests can be chosen. */
  readonly userId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const periodOptions = [
  { value: BudgetPeriod.DAY, text: 'Per day' },
  { value: BudgetPeriod.MONTH, text: 'Per month' },
];

/** Sets or replaces a budget. */
export function BudgetDialog({ userId, isOpen, onClose, onSaved }: BudgetDialogProps) {
  return (
    <Dialog title="Set a budget" isOpen={isOpen} onClose={onClose}>
      <BudgetForm
        userId={userId}
        onSaved={() => {
          onSaved();
          onClose();
        }}
      />
    </Dialog>
  );
}

/** Returns what a budget can be set for: everything, a subuser, or a subuser's guests. */
function targetOptions(userId: string) {
  const subusers = (topology.value?.subusers?.subusers ?? []).filter(
    ({ subuserId }) => userId === '' || subuserId === userId,
  );
  return [
    ...(userId === '' ? [{ value: '', text: 'Everything' }] : []),
    ...subusers.flatMap(({ subuserId, name }) => [
      { value: subuserId, text: name },
      { value: `guests ${subuserId}`, text: `Guests of ${name}` },
    ]),
  ];
}

interface BudgetFields {
  readonly userId: string;
  readonly guests: boolean;
  readonly period: BudgetPeriod;
  readonly maxTokens?: number;
  readonly maxCostMicros?: number;
}

function BudgetForm({
  userId,
  onSaved,
}: {
  readonly userId: string;
  readonly onSaved: () => void;
}) {
  const [target, setTarget] = useState(userId);
  const [period, setPeriod] = useState<BudgetPeriod>(BudgetPeriod.DAY);
  const [cost, setCost] = useState('');
  const [tokens, setTokens] = useState('');
  const maxCostMicros = readMoney(cost);
  const maxTokens = /^\d{1,15}$/.test(tokens.trim()) ? Number(tokens) : undefined;
  const isCostInvalid = cost.trim() !== '' && maxCostMicros === undefined;
  const areTokensInvalid = tokens.trim() !== '' && maxTokens === undefined;
  const save = useAction(async (requestId, fields: BudgetFields) => {
    await daycare.rpc.agentRuntime.setBudget({ ...fields, requestId, agentId: '' });
    onSaved();
    return 'The budget is set.';
  });
  const submit = (): void =>
    void save.run({
      userId: target.replace('guests ', ''),
      guests: target.startsWith('guests '),
      period,
      ...(maxTokens !== undefined && { maxTokens }),
      ...(maxCostMicros !== undefined && { maxCostMicros }),
    });
  return (
    <ActionForm
      action={save}
      onSubmit={() => submit()}
      verb="Save"
      disabled={
        isCostInvalid ||
        areTokensInvalid ||
        (maxCostMicros === undefined && maxTokens === undefined)
      }
    >
      <Select label="For" value={target} options={targetOptions(userId)} onValue={setTarget} />
      <Select label="Period" value={period} options={periodOptions} onValue={setPeriod} />
      <Field
        label="Money"
        inputMode="decimal"
        hint="In the instance’s currency. Leave it empty for no limit."
        {...(isCostInvalid && { problem: 'Must be an amount such as 2.50.' })}
        value={cost}
        onValue={setCost}
      />
      <Field
        label="Tokens"
        inputMode="numeric"
        hint="Input and output together. Leave it empty for no limit."
        {...(areTokensInvalid && { problem: 'Must be a whole number.' })}
        value={tokens}
        onValue={setTokens}
      />
    </ActionForm>
  );
}
