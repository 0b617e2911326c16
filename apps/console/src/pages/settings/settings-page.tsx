import { PageHead } from '../../ui/layout';
import { AccountSection } from './account-section';
import { GrantsSection } from './grants-section';
import { ModelSection } from './model-section';
import { ProfileSection } from './profile-section';
import { SessionsSection } from './sessions-section';
import { TokensSection } from './tokens-section';

/** The person's own settings, rather than those of individual agents or subusers. */
export function SettingsPage() {
  return (
    <>
      <PageHead
        title="Settings"
        about="Your profile, your agents’ model, and who may act for you."
      />
      <ProfileSection />
      <ModelSection />
      <GrantsSection />
      <TokensSection />
      <SessionsSection />
      <AccountSection />
    </>
  );
}
