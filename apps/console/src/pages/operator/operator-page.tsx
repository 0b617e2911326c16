import type { Daycare } from '@daycare/client/browser';
import type { User } from '@daycare/contracts/identity';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { PageHead } from '../../ui/layout';
import { DeadLetterSection } from './dead-letter-section';
import { operatorClient, signInOperator, signOutOperator } from './operator-session';
import { ServiceSection } from './service-section';
import { SessionSection } from './session-section';
import { ShardSection } from './shard-section';
import { StuckSection } from './stuck-section';
import { UserSection } from './user-section';

/** The state of the installation, for operators. */
export function OperatorPage() {
  const daycare = operatorClient.value;
  return (
    <>
      <PageHead
        title="Operator"
        about="How this installation is doing."
        actions={daycare && <Button onClick={signOutOperator}>Leave</Button>}
      />
      {daycare ? <Overview daycare={daycare} /> : <EnterToken />}
    </>
  );
}

function Overview({ daycare }: { readonly daycare: Daycare }) {
  const [user, setUser] = useState<User | undefined>(undefined);
  return (
    <>
      <ServiceSection daycare={daycare} />
      <ShardSection daycare={daycare} />
      <StuckSection daycare={daycare} />
      <DeadLetterSection daycare={daycare} />
      <UserSection daycare={daycare} onShowSessions={setUser} />
      <SessionSection {...{ daycare, user }} onShowOperators={() => setUser(undefined)} />
    </>
  );
}

function EnterToken() {
  const [token, setToken] = useState('');
  const enter = useAction(async (_requestId, secret: string) => {
    await signInOperator(secret);
    return undefined;
  });
  return (
    <form
      class="panel form"
      onSubmit={(event) => {
        event.preventDefault();
        void enter.run(token);
      }}
    >
      <p>
        This page needs an operator’s access token. Create one with{' '}
        <code>daycare token create console --scope admin --admin</code>.
      </p>
      <Field
        label="Operator’s access token"
        type="password"
        required
        hint="The token stays in this page, and is forgotten when you close or reload the page."
        problem={enter.problem.value}
        value={token}
        onValue={setToken}
      />
      <div>
        <Button kind="primary" type="submit" busy={enter.isBusy} disabled={token.trim() === ''}>
          Continue
        </Button>
      </div>
    </form>
  );
}
