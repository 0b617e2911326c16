import type {
  AgentRuntimeServiceService,
  WatchConnectorResponse,
} from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/api';
import type { Caller, Handlers } from '@daycare/rpc';
import { toProgress, toRecordMessage } from '../../agents/rpc/history-messages';
import { toPermissionMessage } from '../../permissions/rpc/permission-messages';
import type { Connectors } from '../build';
import type { ConnectorEvent } from '../usecases/watch-connector';

export type ConnectorUsecases = Pick<Connectors, 'watchConnector'>;

/** The RPC for clients that serve many people. */
export function connectorHandlers(
  usecases: ConnectorUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    async *watchConnector(request, { caller, signal, recheck }) {
      const call = { ...request, client: requireClient(caller), signal, recheck };
      for await (const event of usecases.watchConnector(call)) yield toConnectorResponse(event);
    },
  };
}

function requireClient(caller: Caller): string {
  if (caller.kind === 'client') return caller.name;
  throw new AppError(
    'INVALID_ARGUMENT',
    "This method must be called with a client's credentials (authorization: Basic), not with a user's token",
  );
}

function toConnectorResponse(event: ConnectorEvent): WatchConnectorResponse {
  switch (event.kind) {
    case 'caught_up': {
      const { position } = event;
      const noAgent = { agentId: '', userId: '', channel: undefined };
      return { position, ...noAgent, event: { $case: 'caughtUp', value: {} } };
    }
    case 'record': {
      const { agentId, userId, channel, position } = event;
      const value = toRecordMessage(event.record);
      return { position, agentId, userId, channel, event: { $case: 'record', value } };
    }
    case 'permission': {
      const { agentId, userId, channel, position } = event;
      const value = toPermissionMessage(event.request);
      return { position, agentId, userId, channel, event: { $case: 'permissionRequest', value } };
    }
    case 'progress': {
      const { agentId, userId, channel } = event;
      return { position: '', agentId, userId, channel, event: toProgress(event.progress) };
    }
  }
}
