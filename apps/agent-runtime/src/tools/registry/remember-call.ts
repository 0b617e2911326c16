import { LabelledResult, type ResultLabel } from '../domain/tool-outcome';
import type { ToolLedger } from '../ports/ledger';
import type { Tool, ToolContext } from './tool';

/** A result as the ledger keeps it. */
interface KeptResult {
  readonly result: unknown;
  readonly label?: ResultLabel;
}

/** Runs a tool that changes something, unless the ledger has the result of the same call. */
export async function rememberCall(
  ledger: ToolLedger,
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<unknown> {
  const key = { call: context, toolName: tool.name, args };
  const kept = await ledger.remember(key, async () =>
    keptResultOf(await tool.execute(args, context)),
  );
  return kept.label ? new LabelledResult(kept.result, kept.label) : kept.result;
}

function keptResultOf(returned: unknown): KeptResult {
  if (!(returned instanceof LabelledResult)) return { result: returned ?? {} };
  const { result, label } = returned;
  return { result, label };
}
