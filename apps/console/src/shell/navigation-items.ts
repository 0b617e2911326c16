import type { IconName } from './icons';

/** The pages in the navigation, in order. */
export const navigationItems: readonly {
  readonly href: string;
  readonly text: string;
  readonly icon: IconName;
}[] = [
  { href: '/', text: 'Inbox', icon: 'inbox' },
  { href: '/agents', text: 'Conversations', icon: 'conversation' },
  { href: '/map', text: 'Map', icon: 'map' },
  { href: '/friends', text: 'Friends', icon: 'friends' },
  { href: '/subusers', text: 'Subusers', icon: 'subusers' },
  { href: '/automation', text: 'Automation', icon: 'automation' },
  { href: '/usage', text: 'Usage', icon: 'usage' },
  { href: '/settings', text: 'Settings', icon: 'settings' },
  { href: '/operator', text: 'Operator', icon: 'operator' },
];
