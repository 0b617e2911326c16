import type { Agent } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { useResource } from '../../data/resource';
import { callOwnTool } from '../../data/tools';
import { Button } from '../../ui/button';
import { Field, TextArea } from '../../ui/field';
import { Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';

/** The name and instructions of the subuser. */
export function ProfileSection({ subuser }: { readonly subuser: TopologySubuser }) {
  const { gatewayAgentId } = subuser;
  return (
    <Section title="Profile">
      <div class="panel form">
        <Rename subuser={subuser} />
        {gatewayAgentId !== '' && <Instructions subuser={subuser} />}
      </div>
    </Section>
  );
}

function Rename({ subuser: { subuserId, name } }: { readonly subuser: TopologySubuser }) {
  const [typed, setTyped] = useState(name);
  const save = useAction(async (requestId, next: string) => {
    await daycare.subusers.rename(subuserId, next, { requestId });
    return 'Renamed. Friends who use it see the new name.';
  });
  return (
    <div class="form-row">
      <Field label="Name" maxLength={100} value={typed} onValue={setTyped} />
      <Button
        busy={save.isBusy}
        disabled={typed.trim() === '' || typed === name}
        onClick={() => void save.run(typed)}
      >
        Rename
      </Button>
    </div>
  );
}

function Instructions({
  subuser: { subuserId, gatewayAgentId },
}: {
  readonly subuser: TopologySubuser;
}) {
  const agent = useResource(
    async (signal) => {
      const selector = { $case: 'agentId', value: gatewayAgentId } as const;
      return (await daycare.rpc.agentRuntime.getAgent({ selector }, { signal })).agent;
    },
    [gatewayAgentId],
  );
  return (
    <Loaded resource={agent} lines={1}>
      {(loaded) => (
        <InstructionsForm
          subuserId={subuserId}
          systemPrompt={promptOf(loaded)}
          onSaved={() => void agent.reload()}
        />
      )}
    </Loaded>
  );
}

function promptOf(agent: Agent | undefined): string {
  const kind = agent?.descriptor?.kind;
  return kind?.$case === 'subuser' ? kind.value.systemPrompt : '';
}

interface InstructionsFormProps {
  readonly subuserId: string;
  readonly systemPrompt: string;
  readonly onSaved: () => void;
}

function InstructionsForm({ subuserId, systemPrompt, onSaved }: InstructionsFormProps) {
  const [typed, setTyped] = useState(systemPrompt);
  const save = useAction(async (requestId, next: string) => {
    await callOwnTool('subuser_configure', { subuserId, systemPrompt: next }, requestId);
    onSaved();
    return 'Saved. The instructions take effect on the subuser’s next turn.';
  });
  return (
    <>
      <TextArea
        label="Instructions"
        hint="Friends never see them."
        rows={6}
        value={typed}
        onValue={setTyped}
      />
      <div>
        <Button
          busy={save.isBusy}
          disabled={typed === systemPrompt}
          onClick={() => void save.run(typed)}
        >
          Save instructions
        </Button>
      </div>
    </>
  );
}
