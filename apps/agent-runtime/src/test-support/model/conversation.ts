import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import type { AttachedFile, HistoryRecord } from '../../agents/domain/context/history-record';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import type { ModelProvider } from '../../models/providers/model-provider';
import { anyAgent, everyone } from '../../tools/registry/tool-access';
import {
  personMessage,
  nextLease,
  startTestRuntime,
  type TestRuntimeOptions,
} from '../test-runtime';
import { testRegistry, testTool } from '../test-tool';

/** A conversation with one agent. */
export interface Conversation {
  readonly agent: Agent;
  /** Sends a message from the person; returns the text of the newest answer once the inbox is empty. */
  readonly ask: (text: string, files?: readonly AttachedFile[]) => Promise<string>;
  readonly askAsFriend: (text: string) => Promise<string>;
  readonly records: () => Promise<HistoryRecord[]>;
  readonly deadLetterReasons: () => Promise<readonly string[]>;
  /** How many model calls the agent's history has recorded. */
  readonly countCalls: () => Promise<number>;
  readonly stopServing: () => Promise<void>;
  /** Ends the lease, so that the replica stores nothing more, as after `kill -9`. */
  readonly crash: () => void;
}

/** What the `memory_write` tool was asked to remember. */
export interface Memory {
  readonly agentId: string;
  readonly nodeId: string;
  readonly content: string;
  readonly trust: Trust;
}

const look = testTool('look', {
  description: 'Returns text of the given size.',
  schema: { size: z.int() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async ({ size }) => ({ text: 'y'.repeat(size) }),
});

/**
 * A runtime for conversations with models; its agents have the tool `look`, and a memory that only
 * records its calls.
 */
export async function startConversations(options: TestRuntimeOptions) {
  const memories: Memory[] = [];
  const remember = testTool('memory_write', {
    description: 'Records what the agent wants to remember.',
    schema: { nodeId: z.string(), title: z.string(), description: z.string(), content: z.string() },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ nodeId, content }, { agent, trust }) {
      memories.push({ agentId: agent.id, nodeId, content, trust });
      return {};
    },
  });
  const tools = testRegistry([look, remember]);
  const runtime = await startTestRuntime({ tools, ...options });
  const begin = async (model: ModelProvider, existingAgent?: Agent): Promise<Conversation> => {
    const lease = nextLease();
    const replica = runtime.replica(`r${lease.fence}`, model);
    await replica.serve(lease);
    const agent = existingAgent ?? (await runtime.newAgent());
    const isIdle = async () => (await runtime.inbox.countByAgent([agent])).size === 0;
    const put = async (item: InboxItem): Promise<string> => {
      await runtime.putItems([{ agent, item }]);
      await eventually(isIdle, { timeoutMs: 30_000, intervalMs: 5 });
      return newestAnswer();
    };
    const newestAnswer = async (): Promise<string> => {
      const newest = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 6 };
      const { records } = await runtime.history.readPageBackwards(agent, newest);
      const answer = records.find((record) => record.kind === 'assistant_message');
      return answer?.kind === 'assistant_message' ? answer.text : '';
    };
    return {
      agent,
      ask: (text, files = []) => put({ ...personMessage(agent, text), files }),
      askAsFriend: (text) => put(friendMessage(agent, text)),
      records: () => runtime.history.listRecords(agent, { after: 0, limit: 1_000 }),
      deadLetterReasons: async () => {
        const found = runtime.mongo.db.collection('dead_letters').find({ agentId: agent.id });
        return (await found.toArray()).map(({ reason }) => String(reason));
      },
      countCalls: () =>
        runtime.mongo.db
          .collection('history')
          .countDocuments({ agentId: agent.id, call: { $exists: true } }),
      stopServing: () => replica.stopServing(lease),
      crash: () => lease.end(),
    };
  };
  return { begin, memories, close: () => runtime.close() };
}

function friendMessage(agent: Agent, text: string): InboxItem {
  const { id: agentId, userId } = agent;
  return {
    kind: 'system_message',
    agentId,
    userId,
    messageId: createId(),
    acceptedAt: new Date(),
    origin: 'friend:otter7',
    senderUserId: 'friend1',
    text,
    hops: 1,
    silent: false,
  };
}
