import { resetInTurn } from './context/context-overflow';
import { describe, expect, it } from '@jest/globals';
import { networkGranted } from '../../test-support/turns/test-work';
import fc from 'fast-check';
import { lowestTrust, trustLevels } from '@daycare/api';
import type { CurrentWork } from '../../agents/domain/current-work';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import {
  acceptance,
  begin,
  finished,
  initialEntry,
  mail,
  ownMail,
  personItem,
  reset,
  result,
  start,
  take,
  workOf,
} from '../../test-support/turns/turn-items';
import { failWork } from './failures/after-failure';
import { beginWork } from './begin-work';
import { assumeLease, recordToolResults, resumeWork } from './turn-steps';

describe('the trust of a turn', () => {
  it.each([
    ['a person’s message', 'guest', 'guest', personItem],
    ['a message from the user’s own agent', 'guest', 'guest', ownMail()],
    ['a webhook message', 'guest', 'outside', mail({ origin: 'webhook:1' })],
    ['a person’s message', undefined, 'person', personItem],
  ] as const)(
    '%s to an agent whose prompt has trust %s starts a turn with trust %s',
    (_, promptTrust, expected, item) => {
      const agent = {
        kind: 'user' as const,
        foreground: true,
        ownerUserId: undefined,
        ...(promptTrust && { promptTrust }),
      };
      const step = beginWork(initialEntry.state, [item], { emergencyContextLimit: 1_000 }, agent);
      expect(step.current?.trust).toBe(expected);
    },
  );

  it('a turn records who started it', () => {
    expect(workOf(begin(mail())).startedBy).toEqual({
      source: 'friend',
      origin: 'friend:otter7',
      senderUserId: 'bob',
      nametag: 'otter7',
      byPerson: false,
    });
    expect(workOf(begin(personItem)).startedBy).toEqual({
      source: 'person',
      origin: '',
      byPerson: true,
    });
  });

  it('a turn that an agent’s message starts counts as begun by a person only if a person began the sending turn and no other user is involved', () => {
    const byPerson = (item: InboxItem): boolean => workOf(begin(item)).startedBy.byPerson;
    expect(byPerson(ownMail({ trust: 'person' }))).toBe(true);
    expect(byPerson(ownMail({ trust: 'own' }))).toBe(false);
    expect(byPerson(ownMail())).toBe(false);
    expect(byPerson(mail({ trust: 'person' }))).toBe(false);
    expect(workOf(begin(ownMail({ trust: 'person' }))).trust).toBe('own');
  });

  it('a turn that handles a decision has the trust and labels of the turn that made the request', () => {
    const { trust, readPrivate, startedBy } = { ...workOf(begin(mail())), readPrivate: true };
    const item: InboxItem = {
      ...acceptance,
      ...networkGranted,
      askedIn: { trust, readPrivate, startedBy, hops: 3 },
    };
    const asking = { trust: 'guest', readPrivate: true, startedBy, hops: 3 };
    expect(workOf(begin(item))).toMatchObject(asking);
  });

  it('reading can only lower the trust of a turn, and neither a retry nor a new lease raises it again', () => {
    const anyLevel = fc.option(fc.constantFrom(...trustLevels), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom(...trustLevels), fc.array(anyLevel), (trust, read) => {
        let work: CurrentWork = { ...workOf(begin(personItem)), trust };
        for (const provenance of read) {
          work = recordToolResults(work, [result(provenance ? { provenance } : {})]).current!;
          work = resumeWork(failWork({ ...work, failures: 0 }, 'no', start).current!).current!;
          work = {
            ...assumeLease({ ...initialEntry.state, current: work }, start).current!,
            interruptions: 0,
          };
        }
        const levels = read.filter((level) => level !== undefined);
        expect(work.trust).toBe(lowestTrust(trust, ...levels));
      }),
    );
  });
});

describe('the private label', () => {
  it('a guest’s turn begins without the private label in a context without private data', () => {
    const begun = begin(mail());
    expect(workOf(begun).readPrivate).toBe(false);
    expect(begun.state.contextIsPrivate).toBe(false);
  });

  it('the person’s messages make the context private until it is reset', () => {
    const talked = finished(begin(personItem));
    expect(talked.state.contextIsPrivate).toBe(true);
    expect(workOf(begin(mail(), talked)).readPrivate).toBe(true);
    const again = finished(begin(mail(), talked));
    expect(workOf(begin(mail(), again)).readPrivate).toBe(true);
    expect(workOf(begin(mail(), begin(reset(), again))).readPrivate).toBe(false);
  });

  it('a reset with a message makes the context private, because the message may contain something private', () => {
    expect(workOf(begin(mail(), begin(reset('The PIN is 1234')))).readPrivate).toBe(true);
  });

  it('an emergency reset drops the private label together with the context', () => {
    const long = { ...personItem, text: 'x'.repeat(4_000) } as InboxItem;
    const next = begin(ownMail({ silent: true }), finished(begin(long)));
    expect(next.events).toMatchObject([{ kind: 'reset', emergency: true }, {}, {}]);
    expect(next.state.contextIsPrivate).toBe(false);
  });

  it('an emergency reset that keeps the current message keeps the labels of the context', () => {
    const begun = begin(mail(), finished(begin(personItem)));
    const step = resetInTurn(workOf(begun), {
      agent: { foreground: true, ownerUserId: 'olga' },
      state: begun.state,
      context: [],
    });
    const { state } = take(begun, step);
    expect(state).toMatchObject({ contextIsPrivate: true, contextTrust: 'guest' });
    expect(state.restoreFrom).toBe(workOf(begun).turn);
  });

  it('a guest’s turn that does not fit is abandoned, so that a top-level user’s agent does not forget what its user wrote', () => {
    const begun = begin(mail(), finished(begin(personItem)));
    const agent = { foreground: true, ownerUserId: undefined };
    const step = resetInTurn(workOf(begun), { agent, state: begun.state, context: [] });
    expect(step).toMatchObject({
      events: [{ kind: 'note' }],
      settled: { dead: { reason: "the agent's context is full" } },
    });
  });

  it('a compaction keeps the labels of the context', () => {
    const talked = finished(begin(mail(), finished(begin(personItem))));
    const event = { kind: 'compaction', summary: 's', keptFrom: 3, trust: 'guest' } as const;
    const { state } = take(talked, { events: [event], current: undefined, keptTokens: 7 });
    expect(state).toMatchObject({
      contextIsPrivate: true,
      contextTrust: 'guest',
      contextFrom: talked.state.contextFrom,
      restoreFrom: 3,
    });
    expect(
      workOf(begin(mail(), take(talked, { events: [event], current: undefined }))).readPrivate,
    ).toBe(true);
  });

  it('a private tool result labels the rest of the turn and the context as private', () => {
    const step = recordToolResults(workOf(begin(mail())), [result({ isPrivate: true })]);
    expect(step.current?.readPrivate).toBe(true);
    const after = finished(take(begin(mail()), step));
    expect(workOf(begin(mail(), after)).readPrivate).toBe(true);
  });

  it('a turn is private if the user’s own agent starts it with a private message, but not if another user’s agent does', () => {
    expect(workOf(begin(ownMail({ carriesPrivate: true }))).readPrivate).toBe(true);
    expect(workOf(begin(mail({ carriesPrivate: true }))).readPrivate).toBe(false);
  });

  it('a message from an owner to a subuser is not private, unless a guest made the owner’s agent send it', () => {
    const isPrivate = (trust: 'person' | 'guest'): boolean => {
      const sender = { agentId: 'o1', userId: 'olga' };
      const item = mail({
        origin: 'o1',
        sender,
        senderUserId: 'olga',
        trust,
        carriesPrivate: true,
      });
      return workOf(begin(item, initialEntry, 'olga')).readPrivate;
    };
    expect(isPrivate('person')).toBe(false);
    expect(isPrivate('guest')).toBe(true);
  });

  it('a person’s message to a subuser’s agent is not kept private from the subuser’s guests', () => {
    expect(
      workOf(begin(mail(), finished(begin(personItem, initialEntry, 'olga')), 'olga')).readPrivate,
    ).toBe(false);
  });

  it('the user’s text in a schedule or a signal is private; a guest’s text is not', () => {
    const read = (origin: string, trust?: 'guest'): boolean => {
      const item = mail({ origin, senderUserId: 'ada', ...(trust && { trust }) });
      return workOf(begin(item)).readPrivate;
    };
    expect([read('cron:1'), read('heartbeat'), read('signal:1')]).toEqual([true, true, true]);
    expect([read('cron:1', 'guest'), read('signal:1', 'guest')]).toEqual([false, false]);
  });

  it('a silent private message labels the context as private', () => {
    const afterSilent = begin(ownMail({ carriesPrivate: true, silent: true }));
    expect(workOf(begin(mail(), afterSilent)).readPrivate).toBe(true);
  });
});
