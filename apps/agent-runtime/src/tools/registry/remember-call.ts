import { LabelledResult, type ResultLabel } from '../domain/tool-outcome';
import type { ToolLedger } from '../ports/ledger';
import type { Tool, ToolContext } from './tool';

/** A tool's result as the ledger records it. */
interface RecordedResult {
  readonly result: unknown;
  readonly label?: ResultLabel;
}

/** Runs a tool that changes something, unless the ledger already has the result of this call; returns the result. */
export async function rememberCall(
  ledger: ToolLedger,
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<unknown> {
  const key = { call: context, toolName: tool.name, args };
  const recorded = await ledger.remember(key, async () =>
    toRecorded(await tool.execute(args, context)),
  );
  return recorded.label ? new LabelledResult(recorded.result, recorded.label) : recorded.result;
}

function toRecorded(returned: unknown): RecordedResult {
  if (!(returned instanceof LabelledResult)) return { result: returned ?? {} };
  const { result, label } = returned;
  return { result, label };
}
