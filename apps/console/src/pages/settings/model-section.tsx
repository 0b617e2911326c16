import { ModelLevel } from '@daycare/contracts/agent-runtime';
import { Section } from '../../ui/layout';
import { ModelChoice } from '../../ui/model-choice';

const allAgents = { userId: '', agentId: '' };

/** The model for all agents without a model choice of their own. */
export function ModelSection() {
  return (
    <Section title="Model">
      <ModelChoice target={allAgents} ownLevel={ModelLevel.USER} />
    </Section>
  );
}
