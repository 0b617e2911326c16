import { signal } from '@preact/signals';
import { deleteStoredData } from '../data/stored';
import { self } from '../data/topology';
import { waitingCount } from '../data/waiting';
import { asPageUser } from '../data/windows/page-user';
import { navigationItems } from './navigation-items';
import { path } from '../router/router';
import { Icon } from './icons';

/** Whether the navigation is expanded on a narrow page, where it is collapsed until the person opens it. */
const isUnfolded = signal(false);
path.subscribe(() => (isUnfolded.value = false));

export function Navigation() {
  return (
    <header class="side">
      <div class="brand">
        <a href="/" class="brand-name">
          Daycare
        </a>
        <button
          type="button"
          class="button button-quiet menu-button"
          aria-expanded={isUnfolded.value}
          aria-controls="navigation"
          onClick={() => (isUnfolded.value = !isUnfolded.value)}
        >
          <Icon name="menu" />
          <span class="hidden">Menu</span>
        </button>
      </div>
      <div id="navigation" class={isUnfolded.value ? 'side-body unfolded' : 'side-body'}>
        <nav aria-label="Pages">
          <ul>
            {navigationItems.map(({ href, text, icon }) => (
              <li key={href}>
                <a href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{text}</span>
                  {href === '/' && <WaitingCount />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="me">
          {self.value && <span class="me-name">{self.value.nametag}</span>}
          <form method="post" action={asPageUser('/sign-out')} onSubmit={deleteStoredData}>
            <button class="button button-quiet">Sign out</button>
          </form>
        </div>
      </div>
    </header>
  );
}

function WaitingCount() {
  const count = waitingCount.value;
  if (count === 0) return null;
  return (
    <span class="count count-accent">
      {count}
      <span class="hidden"> waiting</span>
    </span>
  );
}

function isCurrent(href: string): boolean {
  const current = path.value;
  return href === '/' ? current === '/' : current === href || current.startsWith(`${href}/`);
}
