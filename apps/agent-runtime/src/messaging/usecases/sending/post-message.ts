import { LRUCache } from 'lru-cache';
import { FieldChecks, limitEntries, messageIdOf, notFound } from '@daycare/api';
import {
  agentDead,
  type Agent,
  type AgentReader,
  type AttachedFile,
  checkDescriptor,
  type DescriptorOf,
  type FindOrCreateAgent,
  type HistoryReader,
  keyOf,
} from '../../../agents';
import { fitFileText } from '../../domain/fit-file-text';
import type { InboxStore } from '../../store/inbox-store';
import type { MailboxStore } from '../../store/mailbox-store';
import type { PlaceItems } from '../inbox/place-items';
import type { RouteMailbox } from '../inbox/route-mailbox';

export interface PostCall {
  readonly userId: string;
  readonly requestId: string;
  readonly connector: string;
  readonly channelId: string;
  readonly connectorUserId: string;
  readonly text: string;
  readonly fileIds: readonly string[];
  readonly replyTarget: string;
  /** The trace of the call, if it is exported. */
  readonly traceparent?: string;
}

/** The uploaded files that messages can carry. */
export interface MessageFiles {
  findMany(userId: string, fileIds: readonly string[]): Promise<readonly AttachedFile[]>;
  /** Protects a message's files from being deleted as unused; false when one of them no longer exists. */
  markReferenced(userId: string, fileIds: readonly string[]): Promise<boolean>;
}

export interface PostDeps {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly findOrCreateWithoutMail: FindOrCreateAgent;
  readonly history: Pick<HistoryReader, 'findLastSequence'>;
  readonly inbox: Pick<InboxStore, 'findAfterSequence'>;
  readonly mailbox: Pick<MailboxStore, 'usersWithUnrouted'>;
  readonly placeItems: PlaceItems;
  readonly routeMailbox: RouteMailbox;
  readonly files: MessageFiles;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

export interface PostedMessage {
  readonly messageId: string;
  readonly agentId: string;
  readonly afterSequence: number;
}

const limits = {
  text: { min: 0, max: 32_768 },
  files: { min: 0, max: 16 },
  replyTarget: { min: 0, max: 1_024 },
};

const maxRememberedChannels = 100_000;

/**
 * Accepts a person's message for a channel's agent; creates the agent if there is none. Mail that was waiting
 * for an agent is routed only after the message, so that a full mailbox does not delay the response.
 */
export function makePostMessage(deps: PostDeps) {
  const findAddressee = makeFindAddressee(deps);
  return async (call: PostCall): Promise<PostedMessage> => {
    const descriptor = check(call);
    const files = await findFiles(deps, call);
    const addressee = await findAddressee(call.userId, descriptor);
    if (addressee.agent.diedAt) throw agentDead();
    const posted = await accept(deps, call, addressee, files);
    if (addressee.mayHaveMail) void routeWaitingMail(deps, call.userId);
    return posted;
  };
}

interface Addressee {
  readonly agent: Agent;
  /** The sequence number of the agent's newest record. */
  readonly lastSequence: number;
  /**
   * Whether mail may be waiting: the agent is new, or this replica does not know it yet and its creation may have
   * been interrupted before the mail was routed.
   */
  readonly mayHaveMail: boolean;
}

/**
 * A channel keeps its agent, so once this replica remembers the agent's id, it reads the agent and its history
 * concurrently.
 */
function makeFindAddressee(deps: PostDeps) {
  const { agents, findOrCreateWithoutMail, history } = deps;
  const agentIds = new LRUCache<string, string>(limitEntries(maxRememberedChannels));
  return async (userId: string, descriptor: DescriptorOf<'user'>): Promise<Addressee> => {
    const channel = `${userId} ${keyOf(descriptor)}`;
    const id = agentIds.get(channel);
    if (id !== undefined) {
      const [agent, lastSequence] = await Promise.all([
        agents.find(id),
        history.findLastSequence(id),
      ]);
      if (agent) return { agent, lastSequence, mayHaveMail: false };
    }
    const { agent } = await findOrCreateWithoutMail(userId, descriptor);
    agentIds.set(channel, agent.id);
    const lastSequence = await history.findLastSequence(agent.id);
    return { agent, lastSequence, mayHaveMail: true };
  };
}

async function routeWaitingMail(
  { mailbox, routeMailbox, log }: PostDeps,
  userId: string,
): Promise<void> {
  try {
    const usersWithMail = await mailbox.usersWithUnrouted([userId]);
    if (usersWithMail.length > 0) await routeMailbox(userId);
  } catch (error) {
    log.warn({ err: error, userId }, 'mail was not routed; the mailbox sweep will retry');
  }
}

async function accept(
  deps: PostDeps,
  call: PostCall,
  { agent, lastSequence: afterSequence }: Addressee,
  files: readonly AttachedFile[],
): Promise<PostedMessage> {
  const { inbox, placeItems, now } = deps;
  const { text, replyTarget, userId, traceparent } = call;
  const messageId = idOf(call, agent.id);
  await markReferenced(deps, userId, files);
  const trace = traceparent === undefined ? {} : { traceparent };
  const acceptance = { userId, messageId, acceptedAt: now(), ...trace };
  const item = { kind: 'message', ...acceptance, text, files, replyTarget } as const;
  const [outcome] = await placeItems([{ recipients: [agent], item, afterSequence }]);
  return {
    messageId,
    agentId: agent.id,
    afterSequence:
      outcome === 'duplicate' ? await inbox.findAfterSequence(userId, messageId) : afterSequence,
  };
}

async function markReferenced(
  { files: messageFiles }: PostDeps,
  userId: string,
  files: readonly AttachedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const fileIds = files.map(({ id }) => id);
  if (!(await messageFiles.markReferenced(userId, fileIds))) throw notFound('file');
}

/** A request id that is reused for a different message yields a different message id, so no message is lost. */
function idOf({ userId, requestId, text, fileIds }: PostCall, agentId: string): string {
  return messageIdOf('post', userId, agentId, requestId, text, ...fileIds);
}

function check(call: PostCall): DescriptorOf<'user'> {
  const { connector, connectorUserId, channelId } = call;
  const descriptor = { kind: 'user', connector, connectorUserId, channelId } as const;
  const checks = new FieldChecks().requestId(call.requestId);
  checkDescriptor(descriptor, checks, '');
  checks
    .text(call.text, 'text', limits.text)
    .count(call.fileIds.length, 'file_ids', limits.files)
    .line(call.replyTarget, 'reply_target', limits.replyTarget)
    .require(
      call.text.trim() !== '' || call.fileIds.length > 0,
      'text',
      'is required when there are no files',
    );
  call.fileIds.forEach((id, index) => checks.id(id, `file_ids[${index}]`));
  checks
    .require(
      new Set(call.fileIds).size === call.fileIds.length,
      'file_ids',
      'must not contain duplicates',
    )
    .done();
  return descriptor;
}

/** Returns the message's files, in the order of the request. */
async function findFiles(
  { files }: PostDeps,
  { userId, fileIds }: PostCall,
): Promise<readonly AttachedFile[]> {
  if (fileIds.length === 0) return [];
  const found = new Map((await files.findMany(userId, fileIds)).map((file) => [file.id, file]));
  const inOrder = fileIds.map((id) => {
    const file = found.get(id);
    if (!file) throw notFound('file');
    return file;
  });
  return fitFileText(inOrder);
}
