import { conversationOf, hang, ModelServer, openAiEvents } from '@daycare/testing';

/** Starts a model that never answers messages containing "hang", and answers all others with "Done.". */
export function startHangingModel(): Promise<ModelServer> {
  return ModelServer.start(({ body }) => {
    const last = conversationOf(body).at(-1);
    if (JSON.stringify(last).includes('hang')) return hang;
    return { steps: openAiEvents({ text: ['Done.'] }) };
  });
}

/** The settings that make agents use this model. */
export function envOfModel({ url }: ModelServer): Readonly<Record<string, string>> {
  return { DAYCARE_OPENAI_URL: url, DAYCARE_MODEL: 'openai/test' };
}
