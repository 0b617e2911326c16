import type { Agent, AgentCall } from '../../agents';

type TurnField = 'hops' | 'trust' | 'readPrivate' | 'startedBy';
type Call = Omit<AgentCall, TurnField | 'agent'>;

/** A tool call that needs a person's approval, exactly as it would run. */
export interface ApprovalRequest extends Call, Required<Pick<AgentCall, TurnField>> {
  readonly agent: Agent;
  readonly toolName: string;
  /** As written by the caller; its canonical form is shown, compared and run. */
  readonly argumentsJson: string;
  /** The sequence number of the turn's first record; absent when a client makes the call. */
  readonly turn?: number | undefined;
}

export type ApprovalAnswer =
  /** A standing grant covers the call, so it runs now. */
  | { readonly kind: 'granted' }
  /** A person has been asked; if approved, the call runs in a later turn. */
  | {
      readonly kind: 'waiting';
      readonly permissionRequestId: string;
      readonly expiresAt: Date;
    };

/**
 * Asks for approval of a call, from the user who decides for the agent. Identical calls by an agent share one pending
 * request. Rejects with QUOTA_EXCEEDED if too many requests are pending.
 */
export type RequestApproval = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** Reports whether an approval is still valid; an "always" grant may have been revoked. */
export type ConfirmApproval = (
  agent: Pick<Agent, 'id' | 'userId'>,
  permissionRequestId: string,
) => Promise<boolean>;
