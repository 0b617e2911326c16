import type { Heartbeat } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { userName } from '../../data/agent-names';
import { self } from '../../data/topology';
import { AskFirst } from '../../ui/ask-first';
import { ActionForm } from '../../ui/action-form';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, TextArea } from '../../ui/field';
import { Badge, Card, Section } from '../../ui/layout';
import { EmptyState } from '../../ui/states';
import { LastRun } from './last-run';

/** Prompts that are all run together at a regular interval. */
export function HeartbeatSection({ heartbeats }: { readonly heartbeats: readonly Heartbeat[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Heartbeats"
      count={heartbeats.length}
      actions={<Button onClick={() => setOpen(true)}>New heartbeat</Button>}
    >
      <NewHeartbeat isOpen={isOpen} onClose={() => setOpen(false)} />
      {heartbeats.length === 0 ? (
        <EmptyState title="No heartbeats">
          <p>
            A heartbeat is something your agent checks regularly, by default every half hour, e.g.
            whether a page has changed. You get a message only if there is news.
          </p>
        </EmptyState>
      ) : (
        <ul class="cards">
          {heartbeats.map((heartbeat) => (
            <li key={heartbeat.id}>
              <HeartbeatCard heartbeat={heartbeat} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function HeartbeatCard({ heartbeat }: { readonly heartbeat: Heartbeat }) {
  const { id: heartbeatId, title, prompt, lastRun, userId } = heartbeat;
  const isMine = userId === self.value?.userId;
  const remove = useAction(async (requestId) => {
    await daycare.rpc.agentRuntime.deleteHeartbeat({ requestId, heartbeatId });
    return `${title} was deleted.`;
  });
  const action = (
    <AskFirst
      action={remove}
      title={`Delete ${title}?`}
      text="It will no longer be checked. Its past answers stay in your conversation."
      verb="Delete"
    >
      Delete <span class="hidden">{title}</span>
    </AskFirst>
  );
  return (
    <Card actions={isMine && action}>
      <p>
        <strong>{title}</strong> {!isMine && <Badge>{userName(userId)}</Badge>}
      </p>
      <p class="clamp">{prompt}</p>
      <p class="muted small">
        <LastRun run={lastRun} />
      </p>
    </Card>
  );
}

function NewHeartbeat({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [title, setTitle] = useState('');
  const [prompt, setPrompt] = useState('');
  const create = useAction(async (requestId, fields: { title: string; prompt: string }) => {
    await daycare.rpc.agentRuntime.createHeartbeat({ ...fields, requestId, quiet: false });
    setTitle('');
    setPrompt('');
    onClose();
    return `${fields.title} was created.`;
  });
  return (
    <Dialog title="New heartbeat" isOpen={isOpen} onClose={onClose}>
      <ActionForm action={create} onSubmit={() => void create.run({ title, prompt })} verb="Create">
        <Field label="Title" required maxLength={100} value={title} onValue={setTitle} />
        <TextArea label="Prompt" required value={prompt} onValue={setPrompt} />
      </ActionForm>
    </Dialog>
  );
}
