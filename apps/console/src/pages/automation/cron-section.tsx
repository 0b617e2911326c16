import { CronStatus, type Cron } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { userName } from '../../data/agent-names';
import { self } from '../../data/topology';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Badge, Card, Section } from '../../ui/layout';
import { EmptyState } from '../../ui/states';
import { Moment } from '../../ui/time/time';
import { CronDialog } from './cron-dialog';
import { LastRun } from './last-run';

/** Prompts that are sent at set times. */
export function CronSection({ crons }: { readonly crons: readonly Cron[] }) {
  const [edited, setEdited] = useState<Cron | 'new' | undefined>(undefined);
  return (
    <Section
      title="Crons"
      count={crons.length}
      actions={<Button onClick={() => setEdited('new')}>New cron</Button>}
    >
      <CronDialog cron={edited} onClose={() => setEdited(undefined)} />
      {crons.length === 0 ? (
        <EmptyState title="No crons">
          <p>
            A cron sends a prompt at set times, e.g. every weekday at eight. The answer appears in
            your conversation.
          </p>
        </EmptyState>
      ) : (
        <ul class="cards">
          {crons.map((cron) => (
            <li key={cron.id}>
              <CronCard cron={cron} onEdit={() => setEdited(cron)} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function CronCard({ cron, onEdit }: { readonly cron: Cron; readonly onEdit: () => void }) {
  const { name, schedule, timeZone, prompt, status, nextFireAt, lastRun, userId } = cron;
  const isMine = userId === self.value?.userId;
  return (
    <Card actions={isMine ? <CronActions cron={cron} onEdit={onEdit} /> : undefined}>
      <p>
        <strong>{name}</strong> <code>{schedule}</code> <span class="muted small">{timeZone}</span>{' '}
        {!isMine && <Badge>{userName(userId)}</Badge>}{' '}
        {status === CronStatus.PAUSED && <Badge kind="warn">Paused</Badge>}
        {status === CronStatus.FINISHED && <Badge>Finished</Badge>}
      </p>
      <p class="clamp">{prompt}</p>
      <p class="muted small">
        {nextFireAt && (
          <>
            Next run <Moment at={nextFireAt} timeZone={timeZone} />.{' '}
          </>
        )}
        <LastRun run={lastRun} />
      </p>
    </Card>
  );
}

function CronActions({ cron, onEdit }: { readonly cron: Cron; readonly onEdit: () => void }) {
  const { id: cronId, name, status } = cron;
  const { agentRuntime } = daycare.rpc;
  const resume = status === CronStatus.PAUSED;
  const run = useAction(async (requestId) => {
    await agentRuntime.runCron({ requestId, cronId });
    return `${name} was started.`;
  });
  const pause = useAction(async (requestId, isResuming: boolean) => {
    await agentRuntime.pauseCron({ requestId, cronId, resume: isResuming });
    return isResuming ? `${name} was resumed.` : `${name} was paused.`;
  });
  const remove = useAction(async (requestId) => {
    await agentRuntime.deleteCron({ requestId, cronId });
    return `${name} was deleted.`;
  });
  return (
    <>
      <Button busy={run.isBusy} onClick={() => void run.run()}>
        Run now <span class="hidden">{name}</span>
      </Button>
      {status !== CronStatus.FINISHED && (
        <Button kind="quiet" busy={pause.isBusy} onClick={() => void pause.run(resume)}>
          {resume ? 'Resume' : 'Pause'} <span class="hidden">{name}</span>
        </Button>
      )}
      <Button kind="quiet" onClick={onEdit}>
        Edit <span class="hidden">{name}</span>
      </Button>
      <AskFirst
        action={remove}
        title={`Delete ${name}?`}
        text="It will not run again. Its past answers stay in your conversation."
        verb="Delete"
      >
        Delete <span class="hidden">{name}</span>
      </AskFirst>
    </>
  );
}
