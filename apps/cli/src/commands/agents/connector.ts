import { resume } from '@daycare/client';
import { inMemoryStore, TokenSource, toTokens } from '@daycare/client/kit';
import { PermissionState, type WatchConnectorResponse } from '@daycare/contracts/agent-runtime';
import { withIdentity } from '../../client/auth/sign-in';
import { addressOf } from '../../client/contexts/address-of';
import { readHeader } from '../../client/contexts/local-stack';
import { connectServices } from '../../client/rpc/connect';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { renderHistory } from '../../output/history';
import { safeText } from '../../output/safe-text';
import type { View } from '../../output/view';
import { toWord } from '../../output/words';
import { notifyDisconnected } from '../../terminal/notify-disconnected';
import { defineCommand, type AnyCommand, type Call } from '../kit/command';
import { parseCount } from '../kit/options';

interface WatchOptions {
  readonly clientHeader: string;
  readonly position?: string;
  readonly new?: boolean;
  readonly limit?: number;
}

const watch = defineCommand<WatchOptions>({
  name: 'watch',
  description:
    "follow the records and permission requests of a connector's agents; reconnects if the connection is lost",
  options: [
    ['--client-header <file>', 'file with the connector\'s "authorization: Basic …" line'],
    ['--position <text>', 'continue after this position, which -o json shows with every event'],
    ['--new', 'show only new records, not those already stored; has no effect with --position'],
    ['--limit <count>', 'stop after this many events', { parse: parseCount }],
  ],
  examples: [
    'connector watch --client-header telegram.header --new',
    'connector watch --client-header telegram.header -o json --position "$(cat position)"',
  ],
  run: async (call) => watchEvents(call),
});

async function* watchEvents(call: Call<WatchOptions>): AsyncGenerator<View> {
  const { limit = Infinity, new: skipStored = false } = call.options;
  let { position = '' } = call.options;
  let seen = 0;
  const daycare = await connectAsClient(call);
  const open = () => daycare.rpc.agentRuntime.watchConnector({ position, skipStored });
  try {
    for await (const event of resume(open, { onDisconnect: notifyDisconnected })) {
      // Text that a model is writing and the progress of tool calls are not stored, so they have no position.
      if (event.position === '') continue;
      ({ position } = event);
      if (event.event?.$case === 'caughtUp') continue;
      yield { data: event, render: (style) => renderEvent(event, style) };
      seen += 1;
      if (seen >= limit) return;
    }
  } finally {
    daycare.close();
  }
}

/** Connects with tokens that identity issues for the client's credential; no other service accepts that credential. */
async function connectAsClient({
  options,
  settings,
  timeoutMs,
  chosen: choose,
}: Call<WatchOptions>) {
  const chosen = await choose();
  const { name: context } = chosen;
  const { tls } = chosen.context;
  const issue = async (authorization: string) => {
    const address = addressOf('identity', chosen, settings);
    const access = { context, timeoutMs, address, authorization, ...(tls ? { tls } : {}) };
    const request = { userId: '', agentId: '', publicKeyJwk: '' };
    const { tokens } = await withIdentity(access, (identity) => identity.issueToken(request));
    return tokens && { ...toTokens(tokens), refresh: authorization };
  };
  const store = inMemoryStore({ access: '', refresh: readClientHeader(options.clientHeader) });
  return connectServices({
    context,
    tls,
    timeoutMs,
    addressOf: (service) => addressOf(service, chosen, settings),
    authority: () => new TokenSource({ store, renew: issue }),
  });
}

function readClientHeader(file: string | undefined): string {
  const authorization = file === undefined ? undefined : readHeader(file);
  if (authorization) return authorization;
  throw new Failure(
    exitCodes.refused,
    file === undefined
      ? 'No client credential was given.'
      : `Cannot read an "authorization: …" line from ${file}.`,
    "Pass the connector's credential file with --client-header.",
  );
}

function renderEvent(
  { event, channel, agentId }: WatchConnectorResponse,
  style: Parameters<View['render']>[0],
): string {
  const where = safeText(channel ? `${channel.connectorUserId}#${channel.channelId}` : agentId);
  if (event?.$case === 'record') return `${where} ${renderHistory(event.value, style)}`;
  if (event?.$case !== 'permissionRequest') return where;
  const { permission, state, agentLabel, id } = event.value;
  return `${where} permission ${id}: ${safeText(agentLabel)} ${safeText(permission)} ${toWord(PermissionState, state)}`;
}

export const connectorCommands: readonly AnyCommand[] = [watch];
