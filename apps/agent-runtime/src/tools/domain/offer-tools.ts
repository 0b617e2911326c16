import { estimateTokens, foldContext } from '../../agents';
import type { ToolSpec } from '../../models';

const searchToolName = 'tool_search';

/** Families of tools that not every agent needs, in the order in which they are offered. */
const families = ['friend', 'schedule', 'subuser', 'signal', 'channel', 'endpoint'] as const;
export type ToolFamily = (typeof families)[number];

const familyOfPrefix: Readonly<Record<string, ToolFamily>> = {
  friend: 'friend',
  cron: 'schedule',
  heartbeat: 'schedule',
  subuser: 'subuser',
  signal: 'signal',
  emit: 'signal',
  channel: 'channel',
  expose: 'endpoint',
};

/** Returns a tool's family; undefined for a tool that is offered to every agent. */
function familyOf(name: string): ToolFamily | undefined {
  return familyOfPrefix[name.slice(0, name.indexOf('_'))];
}

/**
 * Returns the tools to offer to a model: all but the tool search if their descriptions fit into `maxTokens`. Otherwise
 * returns the tools that every agent needs and the tool search, the loaded families, and as many other families as fit.
 */
export function offerTools(
  specs: readonly ToolSpec[],
  loaded: ReadonlySet<string>,
  maxTokens: number,
): readonly ToolSpec[] {
  const choices = cachedChoices.get(specs) ?? new Map<string, readonly ToolSpec[]>();
  cachedChoices.set(specs, choices);
  const key = [maxTokens, ...families.filter((family) => loaded.has(family))].join(' ');
  const offered = choices.get(key) ?? chooseTools(specs, loaded, maxTokens);
  choices.set(key, offered);
  return offered;
}

/** Earlier choices for each list of tools, which the registry usually returns as the same array. */
const cachedChoices = new WeakMap<readonly ToolSpec[], Map<string, readonly ToolSpec[]>>();

function chooseTools(
  specs: readonly ToolSpec[],
  loaded: ReadonlySet<string>,
  maxTokens: number,
): readonly ToolSpec[] {
  const allButSearch = specs.filter(({ name }) => name !== searchToolName);
  if (sumTokens(allButSearch) <= maxTokens) return allButSearch;
  const isAlwaysOffered = ({ name }: ToolSpec): boolean => {
    const family = familyOf(name);
    return family === undefined || loaded.has(family);
  };
  const offered = new Set(specs.filter(isAlwaysOffered));
  for (const family of families) {
    const more = specs.filter((spec) => familyOf(spec.name) === family && !offered.has(spec));
    if (sumTokens([...offered, ...more]) > maxTokens) continue;
    for (const spec of more) offered.add(spec);
  }
  return specs.filter((spec) => offered.has(spec));
}

/** Collects the families that have been loaded in a context: the families of the tools that its tool searches found. */
export const loadedFamilies = foldContext<ReadonlySet<string>>(new Set(), (loaded, message) => {
  if (message.role !== 'tool' || message.toolName !== searchToolName) return loaded;
  const more = families.filter((family) => message.resultJson.includes(`"${family}"`));
  return new Set([...loaded, ...more]);
});

export interface FoundTools {
  /** The families of the tools found. All their tools are offered to the model from its next request on. */
  readonly families: readonly ToolFamily[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

const maxFoundTools = 12;

/**
 * Finds the tools whose name or description contains any of the words, and their families. Returns the best matches
 * first, and no more than `maxFoundTools`.
 */
export function searchTools(specs: readonly ToolSpec[], query: string): FoundTools {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const hits = specs
    .filter(({ name }) => name !== searchToolName)
    .map((spec) => ({ spec, score: scoreOf(spec, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFoundTools)
    .map(({ spec: { name, description } }) => ({ name, description }));
  const foundFamilies = new Set(hits.map(({ name }) => familyOf(name)));
  return { families: families.filter((family) => foundFamilies.has(family)), tools: hits };
}

function scoreOf({ name, description }: ToolSpec, words: readonly string[]): number {
  const text = description.toLowerCase();
  const nameMatches = words.filter((word) => name.includes(word)).length;
  return nameMatches * 3 + words.filter((word) => text.includes(word)).length;
}

/** Estimated token counts of tools and of lists of tools. Neither ever changes, so each is measured once. */
const tokenCounts = new WeakMap<ToolSpec | readonly ToolSpec[], number>();

/** Estimates how many tokens tool descriptions take up in a request. */
export function estimateToolTokens(specs: readonly ToolSpec[]): number {
  const tokens = tokenCounts.get(specs) ?? sumTokens(specs);
  tokenCounts.set(specs, tokens);
  return tokens;
}

function sumTokens(specs: readonly ToolSpec[]): number {
  return specs.reduce((sum, spec) => sum + tokensOf(spec), 0);
}

function tokensOf(spec: ToolSpec): number {
  let tokens = tokenCounts.get(spec);
  if (tokens === undefined) {
    tokens = estimateTokens(JSON.stringify(spec));
    tokenCounts.set(spec, tokens);
  }
  return tokens;
}
