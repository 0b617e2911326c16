export type { ChannelMessageView, Channels, ChannelView } from './ports/channels';
export type { Endpoints, EndpointSpec, EndpointView } from './ports/endpoints';
export type {
  BlockChange,
  FriendChange,
  FriendList,
  Friends,
  ListedBlock,
  ListedFriend,
  ListedRequest,
  ListedShare,
  Omitted,
  SentFriendMessage,
} from './ports/friends';
export type { Signals, SignalView, SubscriptionView } from './ports/signals';
export type { ShowTopology } from './ports/topology';
export { checkToolPolicy, parseToolRules } from './domain/check-policy';
export { describeStarter } from './domain/refusal-wording';
export { labelled } from './domain/tool-outcome';
export type { ToolRegistry } from './registry/tool-registry';
export type { Tools } from './build';
