import type { ToolResultRecord } from '@daycare/contracts/agent-runtime';
import { permissionRequests } from '../../../data/permissions';
import { Badge } from '../../../ui/layout';
import { formatJson, revealHidden } from '../../../ui/reveal-hidden';
import { describeOutcome } from '../log/describe-outcome';
import type { ShownCall } from '../log/to-rows';

/** The tool calls of a message, collapsed, with their arguments and results. */
export function ToolCalls({ calls }: { readonly calls: readonly ShownCall[] }) {
  if (calls.length === 0) return null;
  return (
    <ul class="tools">
      {calls.map(({ call, result }) => (
        <li key={call.id}>
          <details class="tool">
            <summary>
              <code>{revealHidden(call.name)}</code> <Outcome result={result} />
            </summary>
            <h3>Arguments</h3>
            <pre class="code-block" tabIndex={0}>
              {revealHidden(formatJson(call.argumentsJson || '{}'))}
            </pre>
            {result && <ResultText result={result} />}
          </details>
        </li>
      ))}
    </ul>
  );
}

function Outcome({ result }: { readonly result: ToolResultRecord | undefined }) {
  const { text, kind } = describeOutcome(
    result,
    (id) => permissionRequests.value?.has(id) === true,
  );
  return <Badge kind={kind}>{text}</Badge>;
}

function ResultText({ result }: { readonly result: ToolResultRecord }) {
  return (
    <>
      <h3>
        {result.isError ? 'Error' : 'Result'}
        {result.truncated && <span class="muted"> (truncated)</span>}
      </h3>
      <pre class="code-block" tabIndex={0}>
        {revealHidden(formatJson(result.resultJson))}
      </pre>
    </>
  );
}

/** A result whose call is not loaded. */
export function ToolResult({ result }: { readonly result: ToolResultRecord }) {
  return (
    <details class="tool">
      <summary>
        <code>{revealHidden(result.toolName)}</code> <Outcome result={result} />
      </summary>
      <ResultText result={result} />
    </details>
  );
}
