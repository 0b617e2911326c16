import type { AnyCommand } from './kit/command';

/** A first word after `daycare`: a command, or a noun with its verbs. Its code is loaded on first use. */
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

/** Every command, in the order in which the help lists them. */
export const catalog: readonly CatalogEntry[] = [
  entry(
    'up',
    'start MongoDB, NATS, the services and the gateway, and keep them running',
    async () => (await import('./stack/up.ts')).upCommand,
  ),
  entry(
    'stop',
    'stop the stack running on this machine',
    async () => (await import('./stack/stop.ts')).stopCommand,
  ),
  entry(
    'logs',
    'show the newest log lines of the local stack',
    async () => (await import('./stack/logs.ts')).logsCommand,
  ),
  entry(
    'doctor',
    'check this machine for problems and suggest fixes',
    async () => (await import('./stack/doctor.ts')).doctorCommand,
  ),
  entry(
    'demo',
    'run a demo story with two users on the running stack',
    async () => (await import('./stack/demo.ts')).demoCommand,
  ),
  entry(
    'login',
    'sign in to a local or remote stack',
    async () => (await import('./account/login.ts')).loginCommand,
  ),
  entry(
    'logout',
    'sign out and revoke the tokens of a context',
    async () => (await import('./account/logout.ts')).logoutCommand,
  ),
  entry(
    'whoami',
    'show who you are signed in as',
    async () => (await import('./account/whoami.ts')).whoamiCommand,
  ),
  entry(
    'account',
    'export or delete your account',
    async () => (await import('./account/account.ts')).accountCommands,
  ),
  entry(
    'context',
    'manage contexts (service addresses and sign-ins)',
    async () => (await import('./account/context.ts')).contextCommands,
  ),
  entry(
    'status',
    'show service health',
    async () => (await import('./stack/status.ts')).statusCommand,
  ),
  entry(
    'backup',
    'back up an installation',
    async () => (await import('./backup/backup.ts')).backupCommand,
  ),
  entry(
    'restore',
    'restore a backup',
    async () => (await import('./backup/backup.ts')).restoreCommand,
  ),
  entry(
    'admin',
    'operate the services and list users and their sessions (admin only)',
    async () => (await import('./admin/admin.ts')).adminCommands,
  ),
  entry(
    'session',
    'list and end sessions',
    async () => (await import('./account/session.ts')).sessionCommands,
  ),
  entry(
    'console',
    'print a single-use link that signs a browser in as you',
    async () => (await import('./account/console.ts')).consoleCommand,
  ),
  entry(
    'token',
    'manage personal access tokens for programs',
    async () => (await import('./account/token.ts')).tokenCommands,
  ),
  entry(
    'key',
    'replace the key that signs tokens (admin only)',
    async () => (await import('./account/key.ts')).keyCommands,
  ),
  entry('user', 'manage users', async () => (await import('./account/user.ts')).userCommands),
  entry(
    'friend',
    'manage friends, requests, blocks and shared subusers',
    async () => (await import('./people/friend.ts')).friendCommands,
  ),
  entry(
    'subuser',
    'manage subusers: applications with their own agents, memory and files',
    async () => (await import('./people/subuser.ts')).subuserCommands,
  ),
  entry('chat', 'chat with your agent', async () => (await import('./agents/chat.ts')).chatCommand),
  entry(
    'agent',
    'list, message, watch, reset and export your agents',
    async () => (await import('./agents/agent.ts')).agentCommands,
  ),
  entry(
    'permission',
    "review agents' permission requests",
    async () => (await import('./agents/permission.ts')).permissionCommands,
  ),
  entry(
    'cron',
    'schedule prompts to run at set times',
    async () => (await import('./schedules/cron.ts')).cronCommands,
  ),
  entry(
    'heartbeat',
    'manage prompts that run together, every half hour by default',
    async () => (await import('./schedules/heartbeat.ts')).heartbeatCommands,
  ),
  entry(
    'signal',
    'emit signals and subscribe agents to them',
    async () => (await import('./wiring/signal.ts')).signalCommands,
  ),
  entry(
    'channel',
    'manage channels (groups of agents)',
    async () => (await import('./wiring/channel.ts')).channelCommands,
  ),
  entry(
    'expose',
    'expose ports, sockets and agents over HTTP',
    async () => (await import('./wiring/expose.ts')).exposeCommands,
  ),
  entry(
    'memory',
    "read and write your agents' memory",
    async () => (await import('./agents/memory.ts')).memoryCommands,
  ),
  entry(
    'skill',
    "review your agents' skills and approve those that guests or outsiders wrote",
    async () => (await import('./agents/skill.ts')).skillCommands,
  ),
  entry(
    'file',
    "manage your agents' files and message attachments",
    async () => (await import('./files/file.ts')).fileCommands,
  ),
  entry(
    'topology',
    'show everything you own and everyone you can reach',
    async () => (await import('./people/topology.ts')).topologyCommand,
  ),
  entry(
    'usage',
    "show your agents' and subusers' model usage",
    async () => (await import('./spending/usage.ts')).usageCommand,
  ),
  entry(
    'budget',
    'limit the tokens and the cost of model calls',
    async () => (await import('./spending/budget.ts')).budgetCommands,
  ),
  entry(
    'model',
    'choose, add and test the models that agents use',
    async () => (await import('./models/model.ts')).modelCommands,
  ),
  entry(
    'connector',
    "follow all of a connector's conversations",
    async () => (await import('./agents/connector.ts')).connectorCommands,
  ),
  entry(
    'dead-letter',
    'inspect, retry and delete messages that could not be handled',
    async () => (await import('./agents/dead-letter.ts')).deadLetterCommands,
  ),
  entry(
    'tool',
    "list and run agents' tools",
    async () => (await import('./agents/tool.ts')).toolCommands,
  ),
  entry(
    'completion',
    'print a shell completion script',
    async () => (await import('./shell/completion.ts')).completionCommands,
  ),
  entry(
    'version',
    'show the version of this program',
    async () => (await import('./shell/version.ts')).versionCommand,
  ),
  entry(
    'exit-codes',
    'explain the exit codes',
    async () => (await import('./shell/exit-codes.ts')).exitCodesCommand,
  ),
];
