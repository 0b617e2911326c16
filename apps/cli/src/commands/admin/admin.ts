import type { AnyCommand } from '../kit/command';
import { deadLettersCommand } from './dead-letters';
import { outboxCommand, statusCommand } from './services';
import { shardCommand } from './shard';
import { drainCommand, shardsCommand } from './shards';
import { sessionsCommand, usersCommand } from './users';

export const adminCommands: readonly AnyCommand[] = [
  statusCommand,
  shardsCommand,
  outboxCommand,
  deadLettersCommand,
  usersCommand,
  sessionsCommand,
  drainCommand,
  shardCommand,
];
