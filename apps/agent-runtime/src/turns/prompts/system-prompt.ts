import { LRUCache } from 'lru-cache';
import type { Trust } from '@daycare/api';
import {
  type Agent,
  type AgentRole,
  estimateTokens,
  labelForModels,
  parentOf,
  promptOf,
  roleOf,
} from '../../agents';
import type { ToolSpec } from '../../models';
import type { SkillCatalog, SkillEntry } from '../../skills';
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
  "Your context is limited; your user's memory is permanent and shared by all of the user's agents. Search it with memory_search\n" +
  'before you ask the user for something that may already be stored, and store what will matter later with memory_write.';

export interface SystemPrompt {
  readonly text: string;
  /** An estimate. */
  readonly tokens: number;
}

/** Renders an agent's system prompt, given the tools it has. */
export type PromptFor = (agent: Agent, tools: readonly ToolSpec[]) => Promise<SystemPrompt>;

const maxCachedCharacters = 32_000_000;

/**
 * The instructions from the agent's creator come last, after our own text. Facts about a turn are at the end of
 * each request instead, so that the prompt is the same in all turns and providers can cache it.
 */
export function makePromptFor({
  skills,
}: {
  readonly skills: Pick<SkillCatalog, 'list'>;
}): PromptFor {
  /**
   * Each agent's newest prompt, which seldom changes from call to call. While an agent's tools stay the same, `tools`
   * is usually the same array.
   */
  const cache = new LRUCache<string, CachedPrompt>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ prompt }) => prompt.text.length + 1,
  });
  return async (agent, tools) => {
    const instructions = promptOf(agent.descriptor);
    const identity = identitySection(agent);
    const role = roleTextOf(agent);
    const skillList = skillsSection(await skills.list(agent));
    const cached = cache.get(agent.id);
    if (
      cached?.tools === tools &&
      cached.identity === identity &&
      cached.role === role &&
      cached.skillList === skillList &&
      cached.instructions === instructions
    )
      return cached.prompt;
    const sections = [
      identity,
      `# Your role\n\n${role.trim()}`,
      toolsSection(tools),
      `# Rules\n\n${rules.trim()}`,
      skillList,
      instructions === '' ? '' : `# Your instructions\n\n${instructions}`,
    ];
    const text = sections.filter((section) => section !== '').join('\n\n');
    const prompt = { text, tokens: estimateTokens(text) };
    cache.set(agent.id, { tools, identity, role, skillList, instructions, prompt });
    return prompt;
  };
}

/** A prompt, and the values it was rendered from. */
interface CachedPrompt {
  readonly tools: readonly ToolSpec[];
  readonly identity: string;
  readonly role: string;
  readonly skillList: string;
  readonly instructions: string;
  readonly prompt: SystemPrompt;
}

/** Labels are chosen by others, so they are quoted, and none can pass for another part of the prompt. */
function identitySection(agent: Agent): string {
  const { id, userId, ownerUserId, descriptor } = agent;
  const parent = parentOf(descriptor);
  const lines = [
    'You are an agent in Daycare, a system that runs the agents of many people.',
    '',
    `- Agent: ${id}, named ${JSON.stringify(labelForModels(agent))}`,
    `- User: ${userId}${ownerUserId ? ', a subuser' : ''}`,
    ...(parent ? [`- Started by: agent ${parent}`] : []),
  ];
  return lines.join('\n');
}

function roleTextOf({ kind, descriptor }: Agent): string {
  return kind === 'subuser' ? roleTexts.gateway : roleTexts[roleOf(descriptor)];
}

function toolsSection(tools: readonly ToolSpec[]): string {
  const names = tools.map(({ name }) => name);
  const list = names.length === 0 ? 'You have no tools.' : names.join(', ');
  return `# Tools\n\n${list}${names.includes('memory_write') ? `\n\n${aboutMemory}` : ''}`;
}

/** Who wrote a skill that does not come with Daycare. */
const skillAuthors: Readonly<Record<Trust, string>> = {
  person: 'written by your user or its agents',
  own: 'written by your user or its agents',
  guest: 'written by a guest, approved by your user',
  outside: 'written by an outsider, approved by your user',
};

function skillsSection(entries: readonly SkillEntry[]): string {
  if (entries.length === 0) return '';
  const lines = entries.map(({ name, description, writtenBy }) => {
    const head = `- ${name}${writtenBy ? ` (${skillAuthors[writtenBy]})` : ''}`;
    return description === '' ? head : `${head}: ${description}`;
  });
  const how =
    'Each skill has instructions for a certain kind of task. Before such a task, read the skill with skill_read.';
  return `# Skills\n\n${how}\n\n${lines.join('\n')}`;
}
