import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { ActionForm } from '../../ui/action-form';
import { Dialog } from '../../ui/dialog';
import { Field, Select } from '../../ui/field';
import { Secret } from '../../ui/secret';

interface NewTokenProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

const scopes = [
  { name: 'agents:read', about: 'read conversations, schedules and usage' },
  { name: 'agents:talk', about: 'write to agents and manage them' },
  { name: 'friends', about: 'manage friends and message them' },
  { name: 'subusers', about: 'create, share and delete subusers' },
  { name: 'permissions:decide', about: 'answer permission requests' },
] as const;

/** The only scopes that a token for a subuser may have. */
const subuserScopes: readonly string[] = ['agents:read', 'agents:talk'];

const lifetimes = [
  { value: '7', text: '7 days' },
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '366', text: 'A year' },
];
const dayMs = 86_400_000;

/** Creates a token and shows its secret, which cannot be read again. */
export function NewToken({ isOpen, onClose, onCreated }: NewTokenProps) {
  const [secret, setSecret] = useState('');
  const close = (): void => {
    setSecret('');
    onClose();
  };
  const showSecret = (value: string): void => {
    setSecret(value);
    onCreated();
  };
  return (
    <Dialog
      title={secret === '' ? 'New access token' : 'Your new token'}
      isOpen={isOpen}
      onClose={close}
    >
      {secret === '' ? (
        <TokenForm onCreated={showSecret} />
      ) : (
        <Secret value={secret} onDone={close} />
      )}
    </Dialog>
  );
}

interface TokenFields {
  readonly name: string;
  readonly scopes: string[];
  readonly subuserId: string;
  readonly lifetimeMs: number;
}

function TokenForm({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const [name, setName] = useState('');
  const [subuserId, setSubuserId] = useState('');
  const [days, setDays] = useState('90');
  const [chosen, setChosen] = useState<readonly string[]>(['agents:read']);
  const create = useAction(async (requestId, fields: TokenFields) => {
    onCreated((await daycare.rpc.identity.createAccessToken({ ...fields, requestId })).secret);
    return undefined;
  });
  const submit = (): void => {
    const lifetimeMs = Number(days) * dayMs;
    void create.run({ name, scopes: [...allowedScopes(chosen, subuserId)], subuserId, lifetimeMs });
  };
  const subusers = topology.value?.subusers?.subusers ?? [];
  return (
    <ActionForm
      action={create}
      onSubmit={() => submit()}
      verb="Create"
      disabled={name.trim() === '' || allowedScopes(chosen, subuserId).length === 0}
    >
      <Field
        label="Name"
        hint="What it is for, e.g. “backup script”."
        required
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <Select
        label="Acts as"
        value={subuserId}
        options={[
          { value: '', text: 'You' },
          ...subusers.map((each) => ({ value: each.subuserId, text: each.name })),
        ]}
        onValue={setSubuserId}
      />
      <fieldset class="choices">
        <legend>It may</legend>
        {scopes.map((scope) => (
          <Scope
            key={scope.name}
            {...{ scope, chosen, setChosen }}
            disabled={subuserId !== '' && !subuserScopes.includes(scope.name)}
          />
        ))}
      </fieldset>
      <Select label="Expires after" value={days} options={lifetimes} onValue={setDays} />
    </ActionForm>
  );
}

function allowedScopes(chosen: readonly string[], subuserId: string): readonly string[] {
  return subuserId === '' ? chosen : chosen.filter((name) => subuserScopes.includes(name));
}

interface ScopeProps {
  readonly scope: (typeof scopes)[number];
  readonly chosen: readonly string[];
  readonly setChosen: (chosen: readonly string[]) => void;
  readonly disabled: boolean;
}

function Scope({ scope: { name, about }, chosen, setChosen, disabled }: ScopeProps) {
  const toggle = (): void =>
    setChosen(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={chosen.includes(name) && !disabled}
        disabled={disabled}
        onChange={toggle}
      />
      <span>
        <code>{name}</code> <span class="muted">{about}</span>
      </span>
    </label>
  );
}
