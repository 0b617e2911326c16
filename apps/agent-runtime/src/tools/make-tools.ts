import { agentTools, type AgentToolsDeps } from './families/agent-tools';
import { attachmentTools, type AttachmentToolsDeps } from './families/attachments/attachment-tools';
import { channelTools, type ChannelToolsDeps } from './families/channel-tools';
import { endpointTools, type EndpointToolsDeps } from './families/endpoint-tools';
import { execTools, type ExecToolsDeps } from './families/exec-tools';
import { fileTools, type FileToolsDeps } from './families/file-tools';
import { friendTools, type FriendToolsDeps } from './families/friend-tools';
import { lookupTools, type LookupToolsDeps } from './families/lookup-tools';
import { memoryTools, type MemoryToolsDeps } from './families/memory-tools';
import { scheduleTools, type ScheduleToolsDeps } from './families/schedule-tools';
import { signalTools, type SignalToolsDeps } from './families/signal-tools';
import { subuserTools, type SubuserToolsDeps } from './families/subuser-tools';
import type { Tool } from './registry/tool';

/** The dependencies of all tool families. */
export interface ToolFamiliesDeps
  extends
    AgentToolsDeps,
    Omit<AttachmentToolsDeps, 'files'>,
    ChannelToolsDeps,
    EndpointToolsDeps,
    ExecToolsDeps,
    FileToolsDeps,
    FriendToolsDeps,
    LookupToolsDeps,
    MemoryToolsDeps,
    ScheduleToolsDeps,
    SignalToolsDeps,
    SubuserToolsDeps {}

/** Creates all tools. Add a new tool to its family, and a new family to this list. */
export function makeTools(deps: ToolFamiliesDeps): Tool[] {
  return [
    ...agentTools(deps),
    ...attachmentTools(deps),
    ...channelTools(deps),
    ...endpointTools(deps),
    ...execTools(deps),
    ...fileTools(deps),
    ...friendTools(deps),
    ...lookupTools(deps),
    ...memoryTools(deps),
    ...scheduleTools(deps),
    ...signalTools(deps),
    ...subuserTools(deps),
  ];
}
