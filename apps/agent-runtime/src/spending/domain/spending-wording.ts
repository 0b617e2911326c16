import type { Budget } from './budget';

/** For whoever started the turn that a budget ended. */
export function budgetReachedNote(budget: Budget, renewsAt: Date, currency: string): string {
  return `I stopped: ${describeLimit(budget, currency)} is used up. It is renewed at ${toMinute(renewsAt)}.`;
}

/** For whoever started a turn that ends because a budget in money applies and its model has no price. */
export function unpricedNote(model: string, budget: Budget, currency: string): string {
  return `I stopped: no price is known for ${model}, and ${describeLimit(budget, currency)} applies. Choose another model, or have the operator set a price for this one.`;
}

/** For the person whose agents are affected; once in a period for each model. */
export function unpricedNotice(model: string, budget: Budget, currency: string): string {
  return `The price of ${model} is unknown, and ${describeLimit(budget, currency)} applies, so turns${describeScope(budget)} that use this model end with a note. Choose another model with "daycare model set", or have the operator set its price: "daycare model add ${model} --price …" or DAYCARE_MODEL_PRICES.`;
}

/** For the person whose agents are affected, once in a period. */
export function budgetReachedNotice(budget: Budget, renewsAt: Date, currency: string): string {
  const scope = describeScope(budget);
  return `${capitalise(describeLimit(budget, currency))} is used up${scope}, or nearly so. Until ${toMinute(renewsAt)}, a turn that needs more than what remains ends with a note. Raise the budget with "daycare budget set".`;
}

/** Formats an amount of money, e.g. `USD 1.50`. */
export function toMoney(micros: number, currency: string): string {
  const digits = String(Math.abs(micros)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${currency} ${micros < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`;
}

function describeLimit({ setBy, period, maxTokens, maxMicros }: Budget, currency: string): string {
  const limits = [
    ...(maxTokens === undefined ? [] : [`${maxTokens.toLocaleString('en-GB')} tokens`]),
    ...(maxMicros === undefined ? [] : [toMoney(maxMicros, currency)]),
  ];
  const whose = setBy === 'operator' ? "the operator's" : 'the';
  return `${whose} budget of ${limits.join(' and ')} per ${period}`;
}

function describeScope({ scope }: Budget): string {
  switch (scope.kind) {
    case 'owner':
      return '';
    case 'subuser':
      return ` by the subuser ${scope.userId}`;
    case 'guests':
      return ` by guests of the subuser ${scope.userId}`;
    case 'agent':
      return ` by the agent ${scope.agentId}`;
  }
}

function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
