import type { Agent } from '../domain/agent';
import { labelOf, parentOf, promptOf, roleOf, type AgentRole } from '../domain/descriptor-kinds';
import type { ToolSpec } from '../runtime/model-provider';
import type { SkillCatalog, SkillEntry } from '../skills/skill-catalog';
import cron from './roles/cron.md';
import gateway from './roles/gateway.md';
import heartbeat from './roles/heartbeat.md';
import subagent from './roles/subagent.md';
import user from './roles/user.md';
import rules from './rules.md';

const roleTexts: Readonly<Record<AgentRole | 'gateway', string>> = {
  user,
  gateway,
  subagent,
  cron,
  heartbeat,
};

const aboutMemory =
  "Your context ends; your user's memory stays, and all of the user's agents share it. Look there with memory_search before you\n" +
  'ask for something you may have been told, and keep with memory_write what will matter later.';

/** What an agent is told about itself, given the tools it has. */
export type PromptFor = (agent: Agent, tools: readonly ToolSpec[]) => Promise<string>;

/** The words of whoever made the agent come last; everything before is ours. */
export function makePromptFor({
  skills,
}: {
  readonly skills: Pick<SkillCatalog, 'list'>;
}): PromptFor {
  return async (agent, tools) => {
    const own = promptOf(agent.descriptor);
    const sections = [
      whoYouAre(agent),
      `# Your role\n\n${roleTextOf(agent).trim()}`,
      whatYouCanDo(tools),
      `# Rules\n\n${rules.trim()}`,
      yourSkills(await skills.list(agent)),
      own === '' ? '' : `# Your instructions\n\n${own}`,
    ];
    return sections.filter((section) => section !== '').join('\n\n');
  };
}

/** Labels are chosen by others, so they stand in quotes. */
function whoYouAre({ id, userId, ownerUserId, descriptor }: Agent): string {
  const parent = parentOf(descriptor);
  const lines = [
    'You are an agent in Daycare, where the agents of many people live side by side.',
    '',
    `- Agent: ${id}, called ${JSON.stringify(labelOf(descriptor))}`,
    `- User: ${userId}${ownerUserId ? ', a subuser' : ''}`,
    ...(parent ? [`- Started by: agent ${parent}`] : []),
  ];
  return lines.join('\n');
}

function roleTextOf({ kind, descriptor }: Agent): string {
  return kind === 'subuser' ? roleTexts.gateway : roleTexts[roleOf(descriptor)];
}

function whatYouCanDo(tools: readonly ToolSpec[]): string {
  const names = tools.map(({ name }) => name);
  const list = names.length === 0 ? 'You have no tools.' : names.join(', ');
  return `# Tools\n\n${list}${names.includes('memory_write') ? `\n\n${aboutMemory}` : ''}`;
}

function yourSkills(entries: readonly SkillEntry[]): string {
  if (entries.length === 0) return '';
  const lines = entries.map(({ name, description }) =>
    description === '' ? `- ${name}` : `- ${name}: ${description}`,
  );
  const how = 'How to go about some kinds of tasks. Read one with skill_read before such a task.';
  return `# Skills\n\n${how}\n\n${lines.join('\n')}`;
}
