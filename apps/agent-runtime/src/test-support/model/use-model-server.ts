import { afterEach, beforeEach } from '@jest/globals';
import { ModelServer, type SeenRequest } from '@daycare/testing';
import type { ModelRequest } from '../../models/providers/model-provider';
import { ask } from './ask-model';
import type { ModelWire } from './model-wire';

/** A model server that is restarted for every test. */
export interface TestModel {
  server: ModelServer;
  /** Sends a request and has it answered; resolves with the request as the server received it. */
  readonly send: (
    wire: Pick<ModelWire, 'events' | 'makeProvider'>,
    request: Partial<ModelRequest>,
  ) => Promise<SeenRequest>;
}

export function useModelServer(): TestModel {
  const model = { send } as TestModel;
  async function send(...[wire, request]: Parameters<TestModel['send']>): Promise<SeenRequest> {
    model.server.reply({ steps: wire.events({ text: ['x'] }) });
    await ask(wire.makeProvider(model.server.url), request);
    return model.server.lastRequest;
  }
  beforeEach(async () => {
    model.server = await ModelServer.start();
  });
  afterEach(() => model.server.close());
  return model;
}
