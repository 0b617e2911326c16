import { DescriptorKind, type ToolRule } from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { InvalidArgumentError } from 'commander';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { agentArgument, requiredAgentArgument } from '../kit/options';

const hints = { NOT_FOUND: 'Run "daycare agent list" to see your agents.' };
const kinds = ['permanent', 'app'] as const;

const stop = defineCommand<{ say?: string }>({
  name: 'stop',
  description: 'stop the turn an agent is working on, if any; with --say, also send it a message',
  args: [agentArgument],
  options: [['--say <text>', 'what to do instead; - reads it from standard input']],
  examples: ['agent stop', 'agent stop Librarian --say "Only look at the first file."'],
  hints,
  async run({ session, args: [id], options: { say } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    const steeringText = say === undefined ? '' : await readText(say);
    const requestId = opened.requestIds.next();
    const request = { requestId, agentId, steeringText, replyTarget: '' };
    const response = await opened.runtime.stopTurn(request);
    return textView(`Stopping agent ${agentId}.`, { agentId, ...response });
  },
});

const end = defineCommand({
  name: 'end',
  description: 'end a background, app or permanent agent for good',
  args: [requiredAgentArgument],
  examples: ['agent end Librarian', 'agent end Librarian --yes'],
  confirm: ([name]) => `End agent ${name} for good?`,
  aliases: ['delete'],
  hints,
  async run({ session, args: [agentId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.endAgent({ requestId: requestIds.next(), agentId });
    return textView(`Agent ${agentId} has ended.`, { agentId });
  },
});

interface CreateOptions {
  readonly kind: (typeof kinds)[number];
  readonly prompt?: string;
  readonly description?: string;
  readonly parent?: string;
}

const create = defineCommand<CreateOptions>({
  name: 'create',
  description: 'create an agent that lives until you end it',
  args: [['<name>', 'display name, up to 100 characters']],
  options: [
    [
      '--kind <kind>',
      'a permanent agent is independent; an app reports to its parent',
      { choices: kinds, default: 'permanent' },
    ],
    ['--prompt <text>', 'instructions for the agent; - reads them from standard input'],
    ['--description <text>', 'what a permanent agent is for'],
    [
      '--parent <agent>',
      'agent that an app reports to (default: the one you last talked to, preferring active ones)',
      { names: { kind: 'agent' } },
    ],
  ],
  examples: [
    'agent create Librarian --prompt "Keep my reading list."',
    'agent create Planner --kind app --prompt - < prompt.md',
  ],
  hints,
  async run({ session, args: [name = ''], options }) {
    const opened = await session();
    const { kind, prompt = '', description = '', parent } = options;
    const { agent } = await opened.runtime.createAgent({
      requestId: opened.requestIds.next(),
      kind: enumOf(DescriptorKind, kind),
      name,
      description,
      systemPrompt: await readText(prompt),
      parentAgentId: kind === 'app' ? await opened.agentId(parent) : '',
    });
    return textView(`Created ${kind} agent ${agent?.id ?? ''}.`, agent ?? {});
  },
});

interface ConfigureOptions {
  readonly name?: string;
  readonly prompt?: string;
  readonly tool?: readonly ToolRule[];
}

const configure = defineCommand<ConfigureOptions>({
  name: 'configure',
  description: "change an agent's name, prompt or tool policy",
  args: [requiredAgentArgument],
  options: [
    ['--name <text>', 'new name of an app or permanent agent'],
    [
      '--prompt <text>',
      'new instructions for an app or permanent agent; - reads them from standard input',
    ],
    [
      '--tool <rule>',
      'tool rule, e.g. cron_add:guest=refuse; repeatable; the given rules replace the current policy',
      { parse: collectRule },
    ],
  ],
  examples: [
    'agent configure Librarian --name Archivist --prompt - < prompt.md',
    'agent configure Librarian --tool cron_add:guest=refuse --tool file_write:guest=run',
  ],
  hints,
  async run({ session, args: [agentId = ''], options: { name, prompt, tool } }) {
    const { runtime, requestIds } = await session();
    const { agent } = await runtime.configureAgent({
      requestId: requestIds.next(),
      agentId,
      ...(name === undefined ? {} : { name }),
      ...(prompt === undefined ? {} : { systemPrompt: await readText(prompt) }),
      toolPolicy: tool && { rules: [...tool], private: false },
    });
    return textView(`Configured agent ${agentId}.`, agent ?? {});
  },
});

/** Collects rules such as `cron_add:guest=refuse`. */
function collectRule(text: string, before: readonly ToolRule[] | undefined): ToolRule[] {
  const [, tool, trust, verdict] = /^([a-z_]+):([a-z]+)=([a-z]+)$/.exec(text) ?? [];
  if (tool === undefined || trust === undefined || verdict === undefined)
    throw new InvalidArgumentError(
      'Must have the form TOOL:TRUST=VERDICT, e.g. cron_add:guest=refuse.',
    );
  return [...(before ?? []), { tool, trust, verdict }];
}

export const controlCommands: readonly AnyCommand[] = [stop, end, create, configure];
