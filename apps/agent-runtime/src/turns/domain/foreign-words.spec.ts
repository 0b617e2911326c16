import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  knowsPrivate,
  mergeWriters,
  severalWriters,
  type StartedBy,
} from '../../agents/domain/started-by';
import type { HistoryEntry } from '../../agents/domain/agent-state';
import type { InboxItem, SystemMessageItem } from '../../messaging/domain/inbox-item';
import {
  begin,
  finished,
  first,
  mail,
  ownMail,
  reset,
  result,
  take,
  workOf,
} from '../../test-support/turn-items';
import { recordToolResults } from './turn-steps';

const carl: Partial<SystemMessageItem> = { origin: 'friend:newt3', senderUserId: 'carl' };
const webhook: Partial<SystemMessageItem> = { origin: 'webhook:1', trust: 'outside' };
const fromWebhook = (): InboxItem => {
  const { senderUserId: _nobody, ...item } = mail(webhook) as InboxItem & SystemMessageItem;
  return item;
};

/** Whether a turn knows something private towards its starter, after these turns in the same context. */
const knowsAfter = (item: InboxItem, ...before: readonly InboxItem[]): boolean => {
  const entry = before.reduce<HistoryEntry>((last, each) => finished(begin(each, last)), first);
  return knowsPrivate(workOf(begin(item, entry)));
};

describe('what one guest wrote', () => {
  it('is private towards another guest, in a context without any words of the user', () => {
    expect(knowsAfter(mail(carl), mail())).toBe(true);
  });

  it('is not private towards the same guest, whoever of theirs writes', () => {
    const ofAgent = mail({ sender: { agentId: 'b1', userId: 'bob' } });
    expect(knowsAfter(mail(), mail(), ofAgent)).toBe(false);
    expect(knowsAfter(ofAgent, mail())).toBe(false);
  });

  it('stays private towards both once two have written, until a reset', () => {
    expect(knowsAfter(mail(), mail(), mail(carl))).toBe(true);
    expect(knowsAfter(mail(carl), mail(), mail(carl), reset(), mail(carl))).toBe(false);
  });

  it('is private towards webhooks and strangers, and theirs towards guests', () => {
    expect(knowsAfter(fromWebhook(), mail())).toBe(true);
    expect(knowsAfter(mail({ ...carl, fromStranger: true }), mail())).toBe(true);
    expect(knowsAfter(mail(), fromWebhook())).toBe(true);
    expect(knowsAfter(mail(), mail({ ...carl, fromStranger: true }))).toBe(true);
    expect(knowsAfter(fromWebhook(), fromWebhook())).toBe(false);
  });

  it('is known as theirs in a shared subuser too, whose policy decides whether it is private', () => {
    const talked = finished(begin(mail(), first, 'olga'));
    expect(knowsPrivate(workOf(begin(mail(carl), talked, 'olga')))).toBe(true);
    expect(knowsPrivate(workOf(begin(mail(), talked, 'olga')))).toBe(false);
  });

  it('is private when it was recorded without a turn', () => {
    expect(knowsAfter(mail(carl), mail({ silent: true }))).toBe(true);
  });

  it('keeps its writer through agents of the user', () => {
    const passedOn = ownMail({ trust: 'guest', foreignWriter: 'bob' });
    expect(knowsAfter(mail(), passedOn)).toBe(false);
    expect(knowsAfter(mail(carl), passedOn)).toBe(true);
    // Also in a turn of the user’s own.
    expect(knowsAfter(mail(carl), ownMail({ foreignWriter: 'bob' }))).toBe(true);
  });

  it('is private towards everyone when nobody said whose words they are', () => {
    expect(knowsAfter(mail(), ownMail({ trust: 'guest' }))).toBe(true);
    expect(
      knowsAfter(mail(), mail({ origin: 'signal:1', senderUserId: 'ada', trust: 'guest' })),
    ).toBe(true);
  });

  it('cannot be claimed by another user for somebody else', () => {
    expect(knowsAfter(mail(carl), mail({ foreignWriter: 'carl' }))).toBe(true);
  });

  it('is not in what the engine reports, unless it quotes a turn', () => {
    const notice = { origin: 'system', senderUserId: 'ada', trust: 'guest' } as const;
    expect(knowsAfter(mail(), mail(notice))).toBe(false);
    const quoting = mail({ ...notice, foreignWriter: 'bob' });
    expect([knowsAfter(mail(), quoting), knowsAfter(mail(carl), quoting)]).toEqual([false, true]);
  });

  it('is still there after a reset that quotes it', () => {
    const quoted: InboxItem = {
      ...reset('Bob said'),
      byAgent: true,
      foreignWriter: 'bob',
    } as InboxItem;
    const asSubuser = (item: InboxItem): boolean =>
      knowsPrivate(workOf(begin(item, begin(quoted, first, 'olga'), 'olga')));
    expect([asSubuser(mail()), asSubuser(mail(carl))]).toEqual([false, true]);
  });

  it('labels the turn and the context when a tool shows it', () => {
    const begun = begin(mail());
    const read = recordToolResults(workOf(begun), [result({ foreignWriter: severalWriters })]);
    expect(knowsPrivate(read.current!)).toBe(true);
    expect(knowsPrivate(workOf(begin(mail(), finished(take(begun, read)))))).toBe(true);
  });

  it('is remembered in the turn that a tool showed it to, and not in the next', () => {
    const begun = begin(mail());
    const read = recordToolResults(workOf(begun), [result({ provenance: 'guest' })]);
    const again = recordToolResults(read.current!, [result()]);
    expect(
      [workOf(begun), read.current, again.current].map((work) => work?.hasReadForeign),
    ).toEqual([undefined, true, true]);
    const next = begin(mail(), finished(take(begun, read)));
    expect(workOf(next).hasReadForeign).toBeUndefined();
  });

  it('never becomes known to anyone but its only writer, whatever the order', () => {
    const writers = ['ann', 'bob', 'carl'] as const;
    const friend = (senderUserId: string): StartedBy => ({
      source: 'friend',
      origin: 'friend:x',
      senderUserId,
      byPerson: false,
    });
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...writers)),
        fc.constantFrom(...writers),
        (wrote, by) => {
          const foreignWriter = wrote.reduce<string | undefined>(
            (all, one) => mergeWriters(all, one),
            undefined,
          );
          const isTheirsOnly = wrote.every((one) => one === by);
          const turn = { readPrivate: false, foreignWriter, startedBy: friend(by) };
          expect(knowsPrivate(turn)).toBe(!isTheirsOnly);
        },
      ),
    );
  });
});
