import type { ComponentType } from 'preact';
import { matchPath } from '../router/match-path';
import type { PageProps } from '../router/page-props';
import { AgentsPage } from './agents/agents-page';
import { NewConversationPage } from './agents/new-conversation-page';
import { AutomationPage } from './automation/automation-page';
import { ConversationPage } from './conversation/conversation-page';
import { FriendPage } from './friends/friend-page';
import { FriendsPage } from './friends/friends-page';
import { SharedSubuserPage } from './friends/shared-subuser-page';
import { InboxPage } from './inbox/inbox-page';
import { MapPage } from './map/map-page';
import { NotFoundPage } from './not-found-page';
import { OperatorPage } from './operator/operator-page';
import { SettingsPage } from './settings/settings-page';
import { SubuserPage } from './subusers/subuser-page';
import { SubusersPage } from './subusers/subusers-page';
import { UsagePage } from './usage/usage-page';

interface PageEntry {
  readonly path: string;
  /** The title of the window until the page sets its own, e.g. the name of a friend. */
  readonly title: string;
  readonly page: ComponentType<PageProps>;
  /** Whether the page fills the height of the window and only a part of it scrolls. */
  readonly fillsWindow?: boolean;
}

/** All pages with their paths. `:name` stands for one path segment. */
const pages: readonly PageEntry[] = [
  { path: '/', title: 'Inbox', page: InboxPage },
  { path: '/agents', title: 'Conversations', page: AgentsPage },
  { path: '/agents/new', title: 'New conversation', page: NewConversationPage },
  { path: '/agents/:agentId', title: 'Conversation', page: ConversationPage, fillsWindow: true },
  { path: '/map', title: 'Map', page: MapPage },
  { path: '/friends', title: 'Friends', page: FriendsPage },
  { path: '/friends/:nametag', title: 'Friend', page: FriendPage },
  { path: '/friends/:friend/:nametag', title: 'Shared subuser', page: SharedSubuserPage },
  { path: '/subusers', title: 'Subusers', page: SubusersPage },
  { path: '/subusers/:subuserId', title: 'Subuser', page: SubuserPage },
  { path: '/automation', title: 'Automation', page: AutomationPage },
  { path: '/usage', title: 'Usage', page: UsagePage },
  { path: '/settings', title: 'Settings', page: SettingsPage },
  { path: '/operator', title: 'Operator', page: OperatorPage },
];

export function findPage(path: string): PageEntry & PageProps {
  for (const entry of pages) {
    const params = matchPath(entry.path, path);
    if (params) return { ...entry, params };
  }
  return { path, title: 'Not found', page: NotFoundPage, params: {} };
}
