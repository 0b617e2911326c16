import { AppError, FieldChecks } from '@daycare/api';
import type { Sealer } from '@daycare/service-kit';
import { addProvider, removeProvider, type AddedProvider } from '../domain/added-providers';
import { addressOf, checkAddition, type AddProviderCall } from '../domain/check-addition';
import type { ProviderStore } from '../store/provider-store';
import { maxChoiceAgeMs, type KnownChoices } from './known-choices';
import { keyBinding } from './known-providers';

export interface RemoveProviderCall {
  readonly requestId: string;
  readonly name: string;
}

export interface ChangeProvidersDeps {
  readonly store: ProviderStore;
  readonly sealer: Sealer | undefined;
  readonly known: Pick<KnownChoices, 'refresh'>;
  readonly wait: (ms: number) => Promise<unknown>;
}

type Change = (before: readonly AddedProvider[]) => readonly AddedProvider[];

const maxAttempts = 10;
const noVaultKey =
  'Keys cannot be stored here: set DAYCARE_VAULT_KEY (or DAYCARE_VAULT_KEY_FILE) of agent-runtime to a string of at least 16 characters that is hard to guess';

/** Adds a provider. Once the call has returned, every new turn on any replica can use it. */
export function makeAddProvider(deps: ChangeProvidersDeps) {
  return async (call: AddProviderCall): Promise<void> => {
    const { requestId, name, apiKey, models } = call;
    checkAddition(call);
    const add: Change = (before) => {
      const baseUrl = addressOf(call, before);
      const sealedKey = sealKey(apiKey, keyBinding({ name, baseUrl }), deps.sealer);
      return requireKey(addProvider(before, { name, baseUrl, sealedKey, models }), name);
    };
    await change(requestId, add, deps);
  };
}

/** Removes a provider that was added. */
export function makeRemoveProvider(deps: ChangeProvidersDeps) {
  return async ({ requestId, name }: RemoveProviderCall): Promise<void> => {
    new FieldChecks()
      .requestId(requestId)
      .require(name !== '', 'name', 'is required')
      .done();
    await change(requestId, (before) => removeProvider(before, name), deps);
  };
}

/** Applies a change once per request id, so that a retry does not undo a later change. */
async function change(requestId: string, next: Change, deps: ChangeProvidersDeps): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await deps.store.read();
    const isRetry = before.changedBy.includes(requestId);
    if (isRetry || (await deps.store.replace(before, next(before.providers), requestId))) {
      // Until this time has passed, other replicas may not know of the change.
      await deps.wait(maxChoiceAgeMs);
      return deps.known.refresh();
    }
  }
  throw new AppError('CONFLICT', 'The providers are being changed by others; try again');
}

function sealKey(
  apiKey: string | undefined,
  binding: string,
  sealer: Sealer | undefined,
): string | undefined {
  if (apiKey === undefined || apiKey === '') return apiKey;
  if (!sealer) throw new AppError('FAILED_PRECONDITION', noVaultKey);
  return sealer.seal(apiKey, binding);
}

/** Refuses a vendor without a key, because the vendor would reject every call. */
function requireKey(next: readonly AddedProvider[], name: string): readonly AddedProvider[] {
  const added = next.find((each) => each.name === name);
  const isVendor = ['anthropic', 'openai', 'google'].includes(name) && added?.baseUrl === '';
  new FieldChecks()
    .require(!isVendor || added.sealedKey !== '', 'api_key', `is required for ${name}`)
    .done();
  return next;
}
