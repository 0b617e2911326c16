import { AppError, FieldChecks, notFound } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { checkDescriptor } from '../domain/check-descriptor';
import type { DescriptorOf } from '../domain/descriptor';
import type { FileReference } from '../domain/history-record';
import type { AgentStore } from '../store/agent-store';
import type { FileStore } from '../store/file-store';
import type { HistoryStore } from '../store/history-store';
import type { InboxStore } from '../store/inbox-store';
import type { FindOrMakeAgent } from './ensure-agent';
import { messageIdOf } from './message-id';

export interface PostCall {
  readonly userId: string;
  readonly requestId: string;
  readonly connector: string;
  readonly channelId: string;
  readonly connectorUserId: string;
  readonly text: string;
  readonly fileIds: readonly string[];
  readonly replyTarget: string;
}

export interface PostDeps {
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly agents: AgentStore;
  readonly history: HistoryStore;
  readonly inbox: InboxStore;
  readonly files: FileStore;
  readonly wake: (shard: number, agentIds: readonly string[]) => void;
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

/** Accepts a person's message for the agent of the channel, which is made if there is none yet. */
export function makePostMessage(deps: PostDeps) {
  return async (call: PostCall): Promise<PostedMessage> => {
    const descriptor = check(call);
    const files = await findFiles(deps, call);
    const { agent } = await deps.findOrMakeAgent(call.userId, descriptor);
    if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    return accept(deps, call, agent, files);
  };
}

async function accept(
  { agents, history, inbox, files: stored, wake, now }: PostDeps,
  call: PostCall,
  agent: Agent,
  files: readonly FileReference[],
): Promise<PostedMessage> {
  const acceptedAt = now();
  const messageId = idOf(call, agent.id);
  const head = await history.findHead(agent.id);
  const fileIds = files.map(({ id }) => id);
  if (fileIds.length > 0 && !(await stored.markReferenced(call.userId, fileIds)))
    throw notFound('file');
  const { text, replyTarget, userId } = call;
  const [{ afterSequence }] = await Promise.all([
    inbox.post({
      item: {
        kind: 'message',
        agentId: agent.id,
        userId,
        messageId,
        acceptedAt,
        text,
        files,
        replyTarget,
      },
      shard: agent.shard,
      afterSequence: head?.state.lastSequence ?? 0,
    }),
    agents.touch([agent.id], acceptedAt, true),
  ]);
  wake(agent.shard, [agent.id]);
  return { messageId, agentId: agent.id, afterSequence };
}

/** A request id that is used again for something else makes another message, so that no text is lost to it. */
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
    .require(new Set(call.fileIds).size === call.fileIds.length, 'file_ids', 'must not repeat')
    .done();
  return descriptor;
}

/** In the order asked for. */
async function findFiles(
  { files }: PostDeps,
  { userId, fileIds }: PostCall,
): Promise<readonly FileReference[]> {
  if (fileIds.length === 0) return [];
  const found = new Map((await files.findMany(userId, fileIds)).map((file) => [file.id, file]));
  return fileIds.map((id) => {
    const file = found.get(id);
    if (!file) throw notFound('file');
    return file;
  });
}
