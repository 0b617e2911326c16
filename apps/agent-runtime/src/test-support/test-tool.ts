import type { z } from 'zod';
import type { ToolRow } from '../tools/domain/tool-policy';
import type { CallGuardDeps } from '../tools/registry/call-guard';
import { defineTool, type Tool } from '../tools/registry/tool';
import { ToolRegistry } from '../tools/registry/tool-registry';

type Definition<S extends z.ZodRawShape> = Omit<Parameters<typeof defineTool<S>>[0], 'name'>;

const changingRow: ToolRow = {
  verdicts: { person: 'run', own: 'run', guest: 'ask', outside: 'refuse' },
};

/**
 * A tool that is not in the tool policy. `defineTool` accepts only names from the policy, so this sets the name
 * afterwards.
 */
export function testTool<S extends z.ZodRawShape>(name: string, tool: Definition<S>): Tool {
  return { ...defineTool<S>({ ...tool, name: 'topology' }), name };
}

/** A registry of test tools; a tool without a row of its own is treated as one that changes something. */
export function testRegistry(
  tools: readonly Tool[],
  rows: Readonly<Record<string, ToolRow>> = {},
  deps: Partial<CallGuardDeps> = {},
): ToolRegistry {
  const defaultRows = Object.fromEntries(tools.map(({ name }) => [name, changingRow]));
  return new ToolRegistry(tools, { ...deps, extraRows: { ...defaultRows, ...rows } });
}
