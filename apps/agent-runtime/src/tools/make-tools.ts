import { agentTools, type AgentToolsDeps } from './families/agent-tools';
import { attachmentTools, type AttachmentToolsDeps } from './families/attachments/attachment-tools';
import { channelTools, type ChannelToolsDeps } from './families/channel-tools';
import { endpointTools, type EndpointToolsDeps } from './families/endpoint-tools';
import { execTools, type ExecToolsDeps } from './families/exec-tools';
import { fileTools, type FileToolsDeps } from './families/file-tools';
import { friendTools, type FriendToolsDeps } from './families/friend-tools';
import { lookupTools, type LookupToolsDeps } from './families/lookup-tools';
import { memoryTools, type MemoryToolsDeps } from './families/memory-tools';
import { cronTools, type CronToolsDeps } from './families/schedules/cron-tools';
import { heartbeatTools, type HeartbeatToolsDeps } from './families/schedules/heartbeat-tools';
import { signalTools, type SignalToolsDeps } from './families/signal-tools';
import { subuserTools, type SubuserToolsDeps } from './families/subuser-tools';
import type { Tool } from './registry/tool';

/** The dependencies of all tool families. */
export interface ToolFamiliesDeps
  extends
    AgentToolsDeps,
    Omit<AttachmentToolsDeps, 'files'>,
    ChannelToolsDeps,
    CronToolsDeps,
    EndpointToolsDeps,
    ExecToolsDeps,
    FileToolsDeps,
    FriendToolsDeps,
    HeartbeatToolsDeps,
    LookupToolsDeps,
    MemoryToolsDeps,
    SignalToolsDeps,
    SubuserToolsDeps {}

/** Creates all tools. Add a new tool to its family, and a new family to this list. */
export function makeTools(deps: ToolFamiliesDeps): Tool[] {
  const { messaging, requestPermission, createAgent, schedules, subusers, guards } = deps;
  const { channels, endpoints, friends, signals, showTopology, searchTools, skills } = deps;
  const { attachments, files, memory, ledger, runProgram, checkSubuserPolicy } = deps;
  return [
    ...agentTools({ messaging, requestPermission, createAgent }),
    ...attachmentTools({ attachments, files, ledger }),
    ...channelTools({ channels, guards }),
    ...cronTools({ schedules, guards }),
    ...endpointTools({ endpoints }),
    ...execTools({ runProgram }),
    ...fileTools({ files, ledger }),
    ...friendTools({ friends, guards }),
    ...heartbeatTools({ schedules }),
    ...lookupTools({ skills, showTopology, searchTools }),
    ...memoryTools({ memory, ledger }),
    ...signalTools({ signals, guards }),
    ...subuserTools({ subusers, checkSubuserPolicy }),
  ];
}
