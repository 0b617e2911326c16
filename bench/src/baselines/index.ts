import { grpcEcho } from './grpc-echo';
import { jetstreamPublish } from './jetstream-publish';
import { mongoInsert } from './mongo-insert';

/** What this machine can do at most; measured first, in every run. */
export const baselines = [grpcEcho, mongoInsert, jetstreamPublish] as const;

/** What a workload can be compared with. */
export type BaselineName = (typeof baselines)[number]['name'];
