import type { AgentCall } from '../../agents';

/** Renders everything that an agent can see and reach as text. */
export type ShowTopology = (
  call: Pick<AgentCall, 'agent' | 'signal'>,
  includeDead: boolean,
) => Promise<string>;
