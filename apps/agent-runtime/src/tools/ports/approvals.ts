import { AppError } from '@daycare/api';
import type { Agent, AgentCall } from '../../agents';

type TurnField = 'hops' | 'trust' | 'readPrivate' | 'startedBy';
type Call = Omit<AgentCall, TurnField | 'agent'>;

/** A tool call that needs a person's approval, exactly as it would run. */
export interface ApprovalRequest extends Call, Required<Pick<AgentCall, TurnField>> {
  readonly agent: Agent;
  readonly toolName: string;
  /** As the caller wrote it; its canonical form is shown, compared and run. */
  readonly argumentsJson: string;
  /** The sequence of the turn's first record; absent when a client makes the call. */
  readonly turn?: number | undefined;
}

export type ApprovalAnswer =
  /** A standing grant covers the call: it runs now. */
  | { readonly kind: 'granted' }
  /** A person has been asked; if approved, the call runs in a later turn. */
  | {
      readonly kind: 'waiting';
      readonly permissionRequestId: string;
      readonly expiresAt: Date;
    };

/**
 * Asks for approval from the user who decides for the agent. Identical calls of an agent share one pending
 * request; QUOTA_EXCEEDED when too many are pending.
 */
export type RequestApproval = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** Where there is no one to ask, calls that need approval are refused. */
export const refuseApproval: RequestApproval = ({ toolName }) =>
  Promise.reject(
    new AppError(
      'PERMISSION_DENIED',
      `${toolName} needs a person's approval, and there is no one to ask`,
    ),
  );

/** Whether an approval is still valid: an "always" grant may have been revoked. */
export type ConfirmApproval = (
  agent: Pick<Agent, 'id' | 'userId'>,
  permissionRequestId: string,
) => Promise<boolean>;
