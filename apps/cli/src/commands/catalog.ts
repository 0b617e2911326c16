import type { AnyCommand } from './command';

/** A word after `daycare`: a command, or a noun with its verbs. Loaded when it is used. */
export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<AnyCommand | readonly AnyCommand[]>;
}

const entry = (name: string, description: string, load: CatalogEntry['load']): CatalogEntry => ({
  name,
  description,
  load,
});

/** Everything the program can do, in the order of its help. */
export const catalog: readonly CatalogEntry[] = [
  entry(
    'up',
    'start MongoDB, NATS and the four services, and keep them running',
    async () => (await import('./up-command.ts')).upCommand,
  ),
  entry(
    'doctor',
    'what is wrong on this machine, and what to do about it',
    async () => (await import('./doctor.ts')).doctorCommand,
  ),
  entry(
    'demo',
    'a story of two people and a shared subuser, played on the running stack',
    async () => (await import('./demo.ts')).demoCommand,
  ),
  entry(
    'login',
    'sign in, on the stack of this machine or elsewhere',
    async () => (await import('./login.ts')).loginCommand,
  ),
  entry(
    'logout',
    'end the sign-in of a context',
    async () => (await import('./logout.ts')).logoutCommand,
  ),
  entry(
    'context',
    'where services are and as whom they are called',
    async () => (await import('./context.ts')).contextCommands,
  ),
  entry(
    'status',
    'how the services of the context are',
    async () => (await import('./status.ts')).statusCommand,
  ),
  entry('user', 'people', async () => (await import('./user.ts')).userCommands),
  entry(
    'friend',
    'friends, requests, blocks and shared subusers',
    async () => (await import('./friend.ts')).friendCommands,
  ),
  entry(
    'subuser',
    'applications with agents, memory and files of their own',
    async () => (await import('./subuser.ts')).subuserCommands,
  ),
  entry('chat', 'talk with your agent', async () => (await import('./chat.ts')).chatCommand),
  entry(
    'agent',
    'your agents: talk with them, follow them, keep them',
    async () => (await import('./agent.ts')).agentCommands,
  ),
  entry(
    'permission',
    'what agents ask to be allowed',
    async () => (await import('./permission.ts')).permissionCommands,
  ),
  entry(
    'cron',
    'prompts that are run at set times',
    async () => (await import('./cron.ts')).cronCommands,
  ),
  entry(
    'heartbeat',
    'prompts that are run together, every half hour',
    async () => (await import('./heartbeat.ts')).heartbeatCommands,
  ),
  entry(
    'signal',
    'events that agents announce to each other',
    async () => (await import('./signal.ts')).signalCommands,
  ),
  entry('channel', 'groups of agents', async () => (await import('./channel.ts')).channelCommands),
  entry(
    'expose',
    'ports, sockets and agents made reachable over HTTP',
    async () => (await import('./expose.ts')).exposeCommands,
  ),
  entry(
    'memory',
    'what your agents remember',
    async () => (await import('./memory.ts')).memoryCommands,
  ),
  entry(
    'file',
    "your agents' files, and the files of messages",
    async () => (await import('./file.ts')).fileCommands,
  ),
  entry(
    'topology',
    'all you have and whom you can reach',
    async () => (await import('./topology.ts')).topologyCommand,
  ),
  entry(
    'dead-letter',
    'messages that agents could not handle',
    async () => (await import('./dead-letter.ts')).deadLetterCommands,
  ),
  entry('tool', 'what agents can do', async () => (await import('./tool.ts')).toolCommands),
  entry(
    'completion',
    'completion for your shell',
    async () => (await import('./completion.ts')).completionCommands,
  ),
  entry(
    'exit-codes',
    'what the exit codes mean',
    async () => (await import('./exit-codes.ts')).exitCodesCommand,
  ),
];
