import { createContextValues } from '@connectrpc/connect';
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import type { Route } from '../http/start-gateway';
import { callOriginKey } from '../rpc/call-origin';

/** Handles calls with a handler from the Connect library. */
export function callHandler(handler: UniversalHandler): Route {
  return async (request, response, origin) => {
    const values = createContextValues().set(callOriginKey, origin);
    const universal = universalRequestFromNodeRequest(request, response, undefined, values);
    await universalResponseToNodeResponse(await handler(universal), response);
  };
}
