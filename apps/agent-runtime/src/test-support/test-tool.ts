import type { z } from 'zod';
import { AppError } from '@daycare/api';
import type { ToolRow } from '../tools/domain/tool-policy';
import { defineTool, type Tool } from '../tools/registry/tool';
import { ToolRegistry, type RegistryDeps } from '../tools/registry/tool-registry';

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

/**
 * Dependencies of a registry for which no one can be asked for approval, any agent given as a recipient is treated as
 * another user's agent, no subuser has a policy, the operator sets no limits, and no calls are remembered.
 */
export const noRegistryDeps: RegistryDeps = {
  requestApproval: ({ toolName }) =>
    Promise.reject(
      new AppError(
        'PERMISSION_DENIED',
        `${toolName} needs a person's approval, and there is no one to ask`,
      ),
    ),
  confirmApproval: async () => false,
  findAgent: async () => undefined,
  findUserPolicy: async () => undefined,
  ceiling: {},
  ledger: {
    once: async (_key, { observe, act }) => act(await observe(), false),
    remember: (_key, act) => act(),
  },
};

/** A registry of tools; those without a row in the tool policy or in `extraRows` are treated as changing something. */
export function testRegistry(
  tools: readonly Tool[],
  deps: Partial<RegistryDeps> = {},
): ToolRegistry {
  const defaultRows = Object.fromEntries(tools.map(({ name }) => [name, changingRow]));
  const extraRows = { ...defaultRows, ...deps.extraRows };
  return new ToolRegistry(tools, { ...noRegistryDeps, ...deps, extraRows });
}
