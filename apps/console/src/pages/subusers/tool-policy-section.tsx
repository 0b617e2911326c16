import type { ToolPolicy, ToolRule } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction, type Action } from '../../data/action';
import { daycare } from '../../data/client';
import { collectPages } from '../../data/paging/pages';
import { useResource } from '../../data/resource';
import { callOwnTool } from '../../data/tools';
import { Button } from '../../ui/button';
import { Select } from '../../ui/field';
import { Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';

const trusts = [
  { value: 'guest', text: 'Guests' },
  { value: 'outside', text: 'Outsiders' },
  { value: 'own', text: 'Your agents' },
  { value: 'person', text: 'You' },
];
const verdicts = [
  { value: 'run', text: 'runs' },
  { value: 'ask', text: 'needs your approval' },
  { value: 'refuse', text: 'is refused' },
];

interface PolicyProps {
  readonly subuserId: string;
  readonly agentId: string;
}

/** What the subuser's agents may do, depending on who started the turn. */
export function ToolPolicySection({ subuserId, agentId }: PolicyProps) {
  const loaded = useResource(
    async (signal) => {
      const selector = { $case: 'agentId', value: agentId } as const;
      const [{ agent }, tools] = await Promise.all([
        daycare.rpc.agentRuntime.getAgent({ selector }, { signal }),
        collectPages(async (page) => {
          const response = await daycare.rpc.agentRuntime.listTools(
            { ...page, agentId },
            { signal },
          );
          return {
            items: response.tools.map(({ name }) => name),
            nextPageToken: response.nextPageToken,
          };
        }),
      ]);
      return { policy: agent?.toolPolicy ?? { rules: [], private: false }, tools: tools.items };
    },
    [agentId],
  );
  const save = useAction(async (requestId, policy: ToolPolicy) => {
    await callOwnTool(
      'subuser_configure',
      { subuserId, toolPolicy: toToolArguments(policy) },
      requestId,
    );
    void loaded.reload();
    return 'Saved. It takes effect on the next call.';
  });
  return (
    <Section title="Tools">
      <Loaded resource={loaded} lines={2}>
        {({ policy, tools }) => <Policy {...{ policy, tools, save }} />}
      </Loaded>
    </Section>
  );
}

interface PolicyFormProps {
  readonly policy: ToolPolicy;
  readonly tools: readonly string[];
  readonly save: Action<[ToolPolicy]>;
}

function Policy({ policy, tools, save }: PolicyFormProps) {
  // The box shows the stored value, never the requested one, because saving may fail.
  const toggle = (box: HTMLInputElement): void => {
    const isPrivate = box.checked;
    box.checked = policy.private;
    void save.run({ ...policy, private: isPrivate });
  };
  return (
    <div class="panel form">
      <label class="choice">
        <input
          type="checkbox"
          checked={policy.private}
          aria-disabled={save.isBusy.value || undefined}
          onChange={(event) => toggle(event.currentTarget)}
        />
        <span>Hide its memory and files from guests unless you approve</span>
      </label>
      {policy.rules.length === 0 ? (
        <p class="muted">No custom rules: the defaults apply.</p>
      ) : (
        <Table
          caption="Rules for tools"
          rows={policy.rules}
          keyOf={({ tool, trust }) => `${tool} ${trust}`}
          columns={columnsFor(policy, save)}
        />
      )}
      <NewRule {...{ policy, tools, save }} />
    </div>
  );
}

function columnsFor(policy: ToolPolicy, save: Action<[ToolPolicy]>): readonly Column<ToolRule>[] {
  const withoutRule = (rule: ToolRule): ToolPolicy => ({
    ...policy,
    rules: policy.rules.filter((each) => each !== rule),
  });
  return [
    { title: 'Tool', cell: ({ tool }) => <code>{tool}</code> },
    { title: 'Started by', cell: ({ trust }) => textOf(trusts, trust) },
    { title: 'The call', cell: ({ verdict }) => textOf(verdicts, verdict) },
    {
      title: 'Action',
      cell: (rule) => (
        <Button kind="quiet" busy={save.isBusy} onClick={() => void save.run(withoutRule(rule))}>
          Remove{' '}
          <span class="hidden">
            the rule for {rule.tool}, {textOf(trusts, rule.trust)}
          </span>
        </Button>
      ),
    },
  ];
}

function NewRule({ policy, tools, save }: PolicyFormProps) {
  const [tool, setTool] = useState('');
  const [trust, setTrust] = useState('guest');
  const [verdict, setVerdict] = useState('ask');
  const add = async (): Promise<void> => {
    const otherRules = policy.rules.filter((rule) => rule.tool !== tool || rule.trust !== trust);
    const rules = [...otherRules, { tool, trust, verdict }];
    if (await save.run({ ...policy, rules })) setTool('');
  };
  const names = [
    { value: '', text: 'Choose a tool' },
    ...tools.map((name) => ({ value: name, text: name })),
  ];
  return (
    <div class="form-row">
      <Select label="Tool" value={tool} options={names} onValue={setTool} />
      <Select label="Started by" value={trust} options={trusts} onValue={setTrust} />
      <Select label="The call" value={verdict} options={verdicts} onValue={setVerdict} />
      <Button busy={save.isBusy} disabled={tool === ''} onClick={() => void add()}>
        Add rule
      </Button>
    </div>
  );
}

function textOf(
  options: readonly { readonly value: string; readonly text: string }[],
  value: string,
): string {
  return options.find((option) => option.value === value)?.text ?? value;
}

/** Converts the policy to arguments of `subuser_configure`, in which verdicts are grouped by tool and trust. */
function toToolArguments({ rules, private: isPrivate }: ToolPolicy) {
  const byTool: Record<string, Record<string, string>> = {};
  for (const { tool, trust, verdict } of rules)
    byTool[tool] = { ...byTool[tool], [trust]: verdict };
  return { isPrivate, rules: byTool };
}
