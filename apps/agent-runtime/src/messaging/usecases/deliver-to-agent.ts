import type { Trust } from '@daycare/api';
import { turnFields, type OutboxStore } from '@daycare/messaging';
import { systemMessageItem, type AgentAddress } from '../domain/inbox-item';
import type { AgentReader, AttachedFile } from '../../agents';
import type { PutItems } from './put-items';

export interface SystemMessageDraft {
  readonly messageId: string;
  readonly senderUserId: string;
  /** Absent when the system sends the message. */
  readonly senderAgentId?: string;
  readonly origin: string;
  readonly text: string;
  readonly hops: number;
  /** The trust of the turn that sends the message; absent when no turn does. */
  readonly trust?: Trust;
  /** Whether that turn has read something private. */
  readonly carriesPrivate?: boolean;
  /**
   * The guest or outsider whose words are in that turn's context; only for messages to an agent of the
   * same user.
   */
  readonly foreignWriter?: string | undefined;
  /** A readable name of the origin; only for messages to an agent of the same user. */
  readonly originName?: string;
  /** Whether the connector shows the message to the person; only for messages to an agent of the same user. */
  readonly forPerson?: boolean;
  /** The user's files that come with the message; only for messages to an agent of the same user. */
  readonly files?: readonly AttachedFile[];
  /** Recorded without running a turn; false by default. */
  readonly silent?: boolean;
}

export interface DeliverToAgentDeps {
  readonly agents: AgentReader;
  readonly outbox: OutboxStore;
  readonly putItems: PutItems;
  readonly now: () => Date;
}

/**
 * Delivers a system message to an agent, exactly once per message id. A message to an agent of the same user is dropped
 * if that agent is dead or unknown.
 */
export type DeliverToAgent = (to: AgentAddress, draft: SystemMessageDraft) => Promise<void>;

type CompleteDraft = SystemMessageDraft &
  Required<Pick<SystemMessageDraft, 'silent' | 'senderAgentId'>>;

/** A message to an agent of the same user goes straight into the inbox; any other message goes through the outbox. */
export function makeDeliverToAgent(deps: DeliverToAgentDeps): DeliverToAgent {
  return async (to, draft) => {
    const complete = { silent: false, senderAgentId: '', ...draft };
    if (to.userId === draft.senderUserId) await putIntoInbox(deps, to, complete);
    else await appendToOutbox(deps, to, complete);
  };
}

async function putIntoInbox(
  { agents, putItems, now }: DeliverToAgentDeps,
  to: AgentAddress,
  draft: CompleteDraft,
): Promise<void> {
  const agent = await agents.find(to.agentId);
  if (!agent || agent.diedAt) return;
  const { userId } = agent;
  const { messageId } = draft;
  const item = { ...systemMessageItem(draft), userId, messageId, acceptedAt: now() };
  await putItems([{ agent, item }]);
}

async function appendToOutbox(
  { outbox }: DeliverToAgentDeps,
  to: AgentAddress,
  complete: CompleteDraft,
): Promise<void> {
  const { messageId: id, hops, trust, carriesPrivate, ...fields } = complete;
  const { foreignWriter: _writer, originName: _name, forPerson: _shown, ...sent } = fields;
  const { files: _files, ...draft } = sent;
  const lane = `${draft.senderAgentId || draft.senderUserId}>${to.agentId}`;
  const target = { $case: 'agentId', value: to.agentId } as const;
  const recipient = { userId: to.userId, target };
  const turn = turnFields({ hops, trust, carriesPrivate });
  await outbox.append([{ ...draft, ...turn, id, lane, recipient }]);
}
