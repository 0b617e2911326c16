import type { Friend } from '@daycare/contracts/social-graph';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { Button } from '../../ui/button';
import { Field } from '../../ui/field';
import { Section } from '../../ui/layout';

const maxLimit = 1_000_000;

/** Limits on what a friend may send. They can only lower the installation's limits, which apply where none is set. */
export function FriendLimitsForm({
  friend: { nametag, limits },
  onChanged,
}: {
  readonly friend: Friend;
  readonly onChanged: () => void;
}) {
  const set = useAction(async (requestId, perHour: number, waiting: number) => {
    const wanted = {
      ...(perHour > 0 && { messagesPerHour: perHour }),
      ...(waiting > 0 && { messagesWaiting: waiting }),
    };
    const request = { requestId, nametag, limits: wanted };
    const { summary } = await daycare.rpc.socialGraph.setFriendLimits(request);
    onChanged();
    return summary;
  });
  const number = (form: FormData, name: string): number => Number(form.get(name) ?? 0);
  return (
    <Section title="Limits">
      <form
        class="form-row"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void set.run(number(form, 'perHour'), number(form, 'waiting'));
        }}
      >
        <Field
          label="Messages per hour"
          name="perHour"
          type="number"
          min={1}
          max={maxLimit}
          placeholder="Default limit"
          defaultValue={limits?.messagesPerHour}
        />
        <Field
          label="Messages waiting"
          name="waiting"
          type="number"
          min={1}
          max={maxLimit}
          placeholder="Default limit"
          defaultValue={limits?.messagesWaiting}
        />
        <Button type="submit" busy={set.isBusy}>
          Save
        </Button>
      </form>
    </Section>
  );
}
