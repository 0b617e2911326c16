import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare, leave } from '../../data/client';
import { self } from '../../data/topology';
import { ActionForm } from '../../ui/action-form';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field } from '../../ui/field';
import { Card, Section } from '../../ui/layout';
import { exportEverything } from './export-everything';
import { saveFile } from './save-file';

/** Exports the person's data, and deletes the account. */
export function AccountSection() {
  const [isDeleting, setDeleting] = useState(false);
  const [progress, setProgress] = useState('');
  const save = useAction(async () => {
    const nametag = self.peek()?.nametag ?? 'daycare';
    try {
      saveFile(await exportEverything(setProgress), `${nametag}.tar`);
    } finally {
      setProgress('');
    }
    return 'Exported.';
  });
  return (
    <Section title="Your data">
      <ul class="cards">
        <li>
          <Card
            actions={
              <Button busy={save.isBusy} onClick={() => void save.run()}>
                Export everything
              </Button>
            }
          >
            <p>
              A file with your profile, friends, subusers, schedules and every agent’s complete
              history. Memory and files are not included; use “daycare memory” and “daycare file”
              for those.
            </p>
            <p class="muted small" role="status">
              {progress}
            </p>
          </Card>
        </li>
        <li>
          <Card
            actions={
              <Button kind="danger" onClick={() => setDeleting(true)}>
                Delete account
              </Button>
            }
          >
            <p>
              Deletes your account with all your subusers, agents, memory and files. Friends lose
              access to what you share with them.
            </p>
          </Card>
        </li>
      </ul>
      <DeleteAccount isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </Section>
  );
}

function DeleteAccount({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const nametag = self.value?.nametag ?? '';
  const remove = useAction(async (requestId) => {
    await daycare.rpc.identity.deleteUser({ requestId, userId: self.peek()?.userId ?? '' });
    leave();
    return undefined;
  });
  return (
    <Dialog title="Delete your account?" isOpen={isOpen} onClose={onClose}>
      <ActionForm
        action={remove}
        onSubmit={() => void remove.run()}
        verb="Delete everything"
        kind="danger"
        disabled={typed !== nametag || nametag === ''}
        onCancel={onClose}
      >
        <p>This cannot be undone. Everything you own is deleted.</p>
        <Field label={`Type ${nametag} to confirm`} value={typed} onValue={setTyped} />
      </ActionForm>
    </Dialog>
  );
}
