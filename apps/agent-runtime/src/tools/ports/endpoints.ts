import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';

export const endpointModes = ['public', 'local_network'] as const;
export type EndpointModeWord = (typeof endpointModes)[number];

export const endpointAuths = ['none', 'password', 'github', 'stripe', 'slack'] as const;
export type EndpointAuthWord = (typeof endpointAuths)[number];

/**
 * An agent's operations on its user's HTTP endpoints. Every call is made on behalf of that agent, and topology decides
 * whether to allow it.
 */
export interface Endpoints {
  create(call: AgentCall, endpoint: EndpointSpec): Promise<ChangedEndpoint>;
  update(call: AgentCall, endpointId: string, changes: EndpointChanges): Promise<ChangedEndpoint>;
  remove(call: AgentCall, endpointId: string): Promise<void>;
  /** Lists endpoints, oldest first, as many as one tool result can hold; `count` is the total number. */
  list(
    call: Pick<AgentCall, 'agent' | 'signal'>,
  ): Promise<{ readonly endpoints: readonly EndpointView[]; readonly count: number }>;
}

/** An omitted field keeps its value, or gets topology's default in a new endpoint. */
export interface EndpointSpec {
  readonly name?: string | undefined;
  /** `port:N`, `unix:P` or `agent:<id>`. */
  readonly target?: string | undefined;
  readonly mode?: EndpointModeWord | undefined;
  readonly auth?: EndpointAuthWord | undefined;
  /** The secret that posts are signed with; generated when signatures are turned on without one. */
  readonly secret?: string | undefined;
}

export interface EndpointChanges extends EndpointSpec {
  readonly rotatePassword: boolean;
}

export interface EndpointView {
  readonly endpointId: string;
  readonly name: string;
  readonly target: string;
  readonly mode: EndpointModeWord;
  readonly auth: EndpointAuthWord;
  readonly url: string;
  /** The trust of the guest's or outsider's turn that chose the name or target; absent if both are the user's own. */
  readonly writtenBy?: Trust;
}

export interface ChangedEndpoint {
  readonly endpoint: EndpointView;
  /** Empty unless this call generated one. */
  readonly password: string;
  /** Empty unless this call generated one. */
  readonly secret: string;
}
