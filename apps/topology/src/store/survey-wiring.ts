import type { Db } from 'mongodb';
import { digestsOf, type PartDigest } from '@daycare/mongo';
import { channelPart } from './channel-store';
import { endpointPart } from './endpoint-store';
import { subscriptionPart } from './subscription-store';

/** For each list in the wiring, its length and a digest that changes whenever one of its entries does. */
export type WiringSurvey = Readonly<Record<'subscriptions' | 'channels' | 'endpoints', PartDigest>>;

/** Surveys the wiring of several users in one query. */
export type SurveyWiring = (userIds: readonly string[]) => Promise<WiringSurvey>;

export function makeSurveyWiring(db: Db): SurveyWiring {
  return async (userIds) => {
    const [subscriptions, channels, endpoints] = await digestsOf(db, [
      subscriptionPart(userIds),
      channelPart(userIds),
      endpointPart(userIds),
    ]);
    return { subscriptions, channels, endpoints };
  };
}
