import { ModelLevel } from '@daycare/contracts/agent-runtime';
import { Section } from '../../ui/layout';
import { ModelChoice } from '../../ui/model-choice';

const allAgents = { userId: '', agentId: '' };

/** The model of all agents, unless another one is chosen for a subuser or a single agent. */
export function ModelSection() {
  return (
    <Section title="Model">
      <ModelChoice target={allAgents} ownLevel={ModelLevel.USER} />
    </Section>
  );
}
