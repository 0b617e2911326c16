import type { Command } from 'commander';
import { specOf, type AnyCommand } from '../commands/kit/command';
import { exitCodeMeanings } from '../failure/exit-codes';

/** Renders docs/cli.md with every command of a fully loaded program. */
export function renderMarkdown(program: Command): string {
  const sections = program.commands.map(renderSection);
  const globals = program.options.map(({ flags, description, argChoices, defaultValue }) =>
    row(`\`${flags}\``, withValues(description, argChoices, defaultValue)),
  );
  const codes = Object.entries(exitCodeMeanings).map(([code, meaning]) => row(code, meaning));
  return `${[
    '# The `daycare` command',
    '',
    'Generated from the commands. `daycare help friend add` shows a single command. In a checkout of the repository, run',
    '`npx daycare` instead of `daycare`.',
    '',
    'Wherever a command takes an agent, a subuser, a friend, a cron, a heartbeat, an endpoint or the like, it takes a name, an',
    'id, or a unique prefix of either (at least four characters). People are found by nametag or nickname; the name that a friend has',
    'chosen also works if you type all of it and no other friend has it. A channel requires its complete name. Commands that delete,',
    'discard, end, remove or revoke something do not accept a prefix of a name, only of an id or, for a friend, of the nametag. With',
    '`--admin`, `--admin-header` or `--instance`, names and prefixes are not looked up, so give the complete id of each agent,',
    'subuser, cron and so on.',
    '`daycare completion bash` prints a script that completes names in your shell.',
    '',
    '## Global options',
    '',
    ...table(['option', 'meaning'], globals),
    '',
    '## Exit codes',
    '',
    ...table(['code', 'meaning'], codes),
    '',
    '## Commands',
    ...sections.flat(),
  ].join('\n')}\n`;
}

function renderSection(command: Command): string[] {
  const title = ['', `### ${command.name()}`, '', sentence(command.description())];
  const spec = specOf(command);
  if (spec) return [...title, ...renderSpec(spec, command.name())];
  return [
    ...title,
    ...command.commands.flatMap((verb) => {
      const verbSpec = specOf(verb);
      const name = `${command.name()} ${verb.name()}`;
      const head = ['', `#### ${name}`, '', sentence(verb.description())];
      return verbSpec ? [...head, ...renderSpec(verbSpec, name)] : head;
    }),
  ];
}

function renderSpec(
  { args = [], options = [], examples, confirm }: AnyCommand,
  name: string,
): string[] {
  const usage = [
    'daycare',
    name,
    ...args.map(([word]) => word),
    ...(options.length > 0 || confirm ? ['[options]'] : []),
  ];
  const rows = [
    ...args.map(([word, description]) => row(`\`${word}\``, description)),
    ...options.map(([flags, description, rules]) =>
      row(
        `\`${flags}\``,
        withValues(description, rules?.choices, rules?.defaultText ?? rules?.default),
      ),
    ),
    ...(confirm ? [row('`--yes`', 'do not ask for confirmation')] : []),
  ];
  const parameters = rows.length === 0 ? [] : ['', ...table(['', ''], rows)];
  const lines = examples.map((example) => `daycare ${example}`);
  return ['', `\`${usage.join(' ')}\``, ...parameters, '', '```sh', ...lines, '```'];
}

/** Returns an option's description with its possible values and its default, as the help shows them. */
function withValues(
  description: string,
  choices: readonly string[] | undefined,
  defaultValue: unknown,
): string {
  const notes = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(defaultValue === undefined
      ? []
      : [
          `default: ${typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)}`,
        ]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

function table(head: readonly [string, string], rows: readonly string[]): string[] {
  return [row(...head), row('---', '---'), ...rows];
}

function row(left: string, right: string): string {
  const cell = (text: string): string =>
    text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
  const code = left.startsWith('`') ? left.replaceAll('|', String.raw`\|`) : cell(left);
  return `| ${code} | ${cell(right)} |`;
}

function sentence(text: string): string {
  const [first = ''] = text.split('\n');
  return `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/:$/, '')}.`;
}
