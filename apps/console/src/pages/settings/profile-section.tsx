import type { User } from '@daycare/contracts/identity';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { useResource } from '../../data/resource';
import { self } from '../../data/topology';
import { Button } from '../../ui/button';
import { Field, Select } from '../../ui/field';
import { Section } from '../../ui/layout';
import { Loaded, Skeleton } from '../../ui/states';
import { Day } from '../../ui/time/time';

/** The profile: the nametag and the name, which others see, and the time zone that agents and new crons use. */
export function ProfileSection() {
  const userId = self.value?.userId;
  return (
    <Section title="Profile">
      {userId ? <Profile userId={userId} /> : <Skeleton lines={1} />}
    </Section>
  );
}

function Profile({ userId }: { readonly userId: string }) {
  const user = useResource(
    async (signal) => (await daycare.rpc.identity.getUser({ userId }, { signal })).user,
    [userId],
  );
  return (
    <Loaded resource={user} lines={1}>
      {(loaded) => loaded && <ProfileForm user={loaded} onSaved={() => void user.reload()} />}
    </Loaded>
  );
}

interface Changes {
  readonly name: string;
  readonly timeZone: string;
}

function ProfileForm({ user, onSaved }: { readonly user: User; readonly onSaved: () => void }) {
  const [name, setName] = useState(user.name);
  const [timeZone, setTimeZone] = useState(user.timeZone);
  const save = useAction(async (requestId, changes: Changes) => {
    await daycare.rpc.identity.updateUser({ requestId, userId: user.id, ...changes });
    onSaved();
    return 'Profile saved.';
  });
  const [isChoosing, setChoosing] = useState(false);
  const trimmedName = name.trim();
  const isChanged = trimmedName !== user.name || timeZone !== user.timeZone;
  return (
    <form
      class="panel form"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run({ name: trimmedName, timeZone });
      }}
    >
      <dl class="facts">
        <dt>Nametag</dt>
        <dd>
          <code>{user.nametag}</code> <span class="muted small">Friends use it to add you.</span>
        </dd>
        <dt>Member since</dt>
        <dd>
          <Day at={user.createdAt} />
        </dd>
      </dl>
      <Field
        label="Your name"
        hint="Your agents, your friends and people you send friend requests to can see it."
        required
        maxLength={100}
        problem={save.problemField.value === 'name' ? save.problem.value : ''}
        value={name}
        onValue={setName}
      />
      <Select
        label="Time zone"
        hint="Your agents and new crons use it."
        value={timeZone}
        options={zoneOptions(timeZone, isChoosing)}
        onValue={setTimeZone}
        onFocus={() => setChoosing(true)}
      />
      <div>
        <Button type="submit" busy={save.isBusy} disabled={!isChanged || trimmedName === ''}>
          Save profile
        </Button>
      </div>
    </form>
  );
}

/**
 * Lists this browser's time zone right after “Not set”, because it is almost always the right one. The others, over
 * 400, are added when the field receives the focus; drawing them would take as long as the rest of the page.
 */
function zoneOptions(current: string, isChoosing: boolean) {
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const others = isChoosing ? Intl.supportedValuesOf('timeZone') : [];
  const zones = new Set([local, current, ...others].filter(Boolean));
  return [
    { value: '', text: 'Not set (UTC)' },
    ...[...zones].map((zone) => ({
      value: zone,
      text: zone === local ? `${zone} (this browser)` : zone,
    })),
  ];
}
