import { ButtonLink } from '../ui/button';
import { PageHead } from '../ui/layout';
import { EmptyState } from '../ui/states';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState title="There is no such page.">
        <ButtonLink href="/">Go to the inbox</ButtonLink>
      </EmptyState>
    </>
  );
}
