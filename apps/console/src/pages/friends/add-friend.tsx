import { isDaycareError } from '@daycare/client/browser';
import { useRef } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { createStoredList } from '../../data/stored';
import { Button } from '../../ui/button';
import { now } from '../../ui/time/clock';
import { Field } from '../../ui/field';
import { Countdown } from '../../ui/time/time';
import { mergeCooldowns, type Cooldown } from './merge-cooldowns';

const maxCooldowns = 20;
/** Shorter waiting times come from rate limits and are not worth showing. */
const minCooldownMs = 60_000;
const cooldowns = createStoredList<Cooldown>('cooldowns', {
  max: maxCooldowns,
  merge: mergeCooldowns,
});

function addCooldown(cooldown: Cooldown): void {
  cooldowns.replace(mergeCooldowns([cooldown], cooldowns.entries.peek()));
}

/** Sends or accepts a friend request by nametag. */
export function AddFriend({ onAdded }: { readonly onAdded: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const add = useAction(async (requestId, nametag: string) => {
    try {
      const { summary } = await daycare.friends.add(nametag, { requestId });
      form.current?.reset();
      onAdded();
      return summary;
    } catch (error) {
      if (isDaycareError(error) && (error.retryAfterMs ?? 0) >= minCooldownMs)
        addCooldown({ nametag, untilMs: Date.now() + (error.retryAfterMs ?? 0) });
      throw error;
    }
  });
  return (
    <>
      <form
        ref={form}
        class="form-row"
        onSubmit={(event) => {
          event.preventDefault();
          const nametag = new FormData(event.currentTarget).get('nametag');
          if (typeof nametag === 'string') void add.run(nametag.trim().toLowerCase());
        }}
      >
        <Field
          label="Nametag"
          name="nametag"
          placeholder="swiftfox42"
          required
          maxLength={64}
          spellcheck={false}
          autocapitalize="none"
          problem={add.problem.value}
        />
        <Button kind="primary" type="submit" busy={add.isBusy}>
          Add friend
        </Button>
      </form>
      <Cooldowns />
    </>
  );
}

function Cooldowns() {
  const active = cooldowns.entries.value.filter(({ untilMs }) => untilMs > now.value);
  if (active.length === 0) return null;
  return (
    <ul class="cooldowns muted small">
      {active.map(({ nametag, untilMs }) => (
        <li key={nametag}>
          You can send <strong>{nametag}</strong> another request in{' '}
          <Countdown until={new Date(untilMs)} textWhenOver="a moment" />. If they send you one, you
          can accept it immediately.
        </li>
      ))}
    </ul>
  );
}
