import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { callOwnTool } from '../../data/tools';
import { navigate } from '../../router/router';
import { ActionForm } from '../../ui/action-form';
import { Dialog } from '../../ui/dialog';
import { Field, TextArea } from '../../ui/field';

interface NewSubuserProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewSubuser({ isOpen, onClose }: NewSubuserProps) {
  return (
    <Dialog title="New subuser" isOpen={isOpen} onClose={onClose}>
      <SubuserForm onCreated={onClose} />
    </Dialog>
  );
}

interface SubuserFields {
  readonly name: string;
  readonly systemPrompt: string;
  readonly description: string;
}

function SubuserForm({ onCreated }: { readonly onCreated: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [systemPrompt, setPrompt] = useState('');
  const create = useAction(async (requestId, fields: SubuserFields) => {
    const { subuserId } = await callOwnTool<{ subuserId: string }>(
      'subuser_create',
      fields,
      requestId,
    );
    onCreated();
    navigate(`/subusers/${subuserId}`);
    return `${fields.name} was created.`;
  });
  return (
    <ActionForm
      action={create}
      onSubmit={() => void create.run({ name, systemPrompt, description })}
      verb="Create"
    >
      <Field label="Name" required maxLength={100} value={name} onValue={setName} />
      <Field
        label="Description"
        maxLength={1_000}
        hint="One line; friends see it when you share the subuser."
        value={description}
        onValue={setDescription}
      />
      <TextArea
        label="Instructions"
        required
        hint="What the subuser is and how it should behave. Friends never see the instructions."
        value={systemPrompt}
        onValue={setPrompt}
      />
    </ActionForm>
  );
}
