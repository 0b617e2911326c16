import type { AgentCall } from '../../agents';

/** Renders, as text, everything that an agent can see and reach. */
export type ShowTopology = (
  call: Pick<AgentCall, 'agent' | 'signal'>,
  includeDead: boolean,
) => Promise<string>;
