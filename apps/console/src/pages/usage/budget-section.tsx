import { BudgetPeriod, BudgetScope, type Budget } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { agentName, userName } from '../../data/agent-names';
import { useResource } from '../../data/resource';
import { Button } from '../../ui/button';
import { Badge, Card, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Moment } from '../../ui/time/time';
import { BudgetDialog } from './budget-dialog';
import { formatMoney, formatTokens } from './money';

/** The budgets that limit what model calls may use; only the budgets of one subuser if `userId` is set. */
export function BudgetSection({ userId = '' }: { readonly userId?: string }) {
  const [isOpen, setOpen] = useState(false);
  const budgets = useResource(
    (signal) => daycare.rpc.agentRuntime.listBudgets({ userId }, { signal }),
    [userId],
  );
  const reload = (): void => void budgets.reload();
  return (
    <Section title="Budgets" actions={<Button onClick={() => setOpen(true)}>Set a budget</Button>}>
      <BudgetDialog
        userId={userId}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSaved={reload}
      />
      <Loaded resource={budgets} lines={1}>
        {({ budgets: loaded, currency }) =>
          loaded.length === 0 ? (
            <EmptyState title="No budgets">
              <p>
                A budget limits what model calls may use in a day or a month. When it is used up,
                agents end their turns with a note, and you are notified.
              </p>
            </EmptyState>
          ) : (
            <ul class="cards">
              {loaded.map((budget) => (
                <li key={`${budget.scope} ${budget.userId} ${budget.agentId} ${budget.period}`}>
                  <BudgetCard {...{ budget, currency }} onRemoved={reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

interface BudgetCardProps {
  readonly budget: Budget;
  readonly currency: string;
  readonly onRemoved: () => void;
}

function BudgetCard({ budget, currency, onRemoved }: BudgetCardProps) {
  const { scope, period, agentId, setByOperator, renewsAt } = budget;
  const periodText = period === BudgetPeriod.DAY ? 'per day' : 'per month';
  const remove = useAction(async (requestId) => {
    const guests = scope === BudgetScope.GUESTS;
    const userId = scope === BudgetScope.OWNER || scope === BudgetScope.AGENT ? '' : budget.userId;
    await daycare.rpc.agentRuntime.setBudget({ requestId, userId, agentId, guests, period });
    onRemoved();
    return 'The budget was removed.';
  });
  const action = (
    <Button kind="danger" busy={remove.isBusy} onClick={() => void remove.run()}>
      Remove{' '}
      <span class="hidden">
        the budget for {describeScope(budget)}, {periodText}
      </span>
    </Button>
  );
  return (
    <Card actions={!setByOperator && action}>
      <p>
        <strong>{describeScope(budget)}</strong> <span class="muted">{periodText}</span>{' '}
        {setByOperator && <Badge>Set by the operator</Badge>}
      </p>
      {budget.maxCostMicros !== undefined && (
        <SpentMeter
          spent={budget.spentCostMicros}
          max={budget.maxCostMicros}
          format={(value) => formatMoney(value, currency)}
        />
      )}
      {budget.maxTokens !== undefined && (
        <SpentMeter
          spent={budget.spentTokens}
          max={budget.maxTokens}
          format={(value) => `${formatTokens(value)} tokens`}
        />
      )}
      <p class="muted small">
        Resets <Moment at={renewsAt} />.
      </p>
    </Card>
  );
}

function describeScope({ scope, userId, agentId }: Budget): string {
  if (scope === BudgetScope.AGENT) return agentName(agentId);
  if (scope === BudgetScope.SUBUSER) return userName(userId);
  if (scope === BudgetScope.GUESTS) return `Guests of ${userName(userId)}`;
  return 'Everything';
}

interface SpentProps {
  readonly spent: number;
  readonly max: number;
  readonly format: (value: number) => string;
}

function SpentMeter({ spent, max, format }: SpentProps) {
  const text = `${format(spent)} of ${format(max)}`;
  return (
    <p class="spent">
      <meter
        min={0}
        max={Math.max(max, 1)}
        high={max * 0.8}
        value={Math.min(spent, max)}
        aria-label={text}
      />{' '}
      {text}
    </p>
  );
}
