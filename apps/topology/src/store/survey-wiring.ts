import type { Db } from 'mongodb';
import { digestsOf, type PartDigest } from '@daycare/mongo';
import { channelPart } from './channel-store';
import { endpointPart } from './endpoint-store';
import { subscriptionPart } from './subscription-store';

/** The length of each list of the wiring, and a digest of the list that changes whenever an entry does. */
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
