import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  knowsPrivateData,
  mergeWriters,
  severalWriters,
  type StartedBy,
} from '../../agents/domain/started-by';
import type { HistoryEntry } from '../../agents/domain/history-entry';
import type { InboxItem, SystemMessageItem } from '../../messaging/domain/inbox-item';
import {
  begin,
  finished,
  initialEntry,
  mail,
  ownMail,
  reset,
  result,
  take,
  workOf,
} from '../../test-support/turns/turn-items';
import { recordToolResults } from './turn-steps';

const carl: Partial<SystemMessageItem> = { origin: 'friend:newt3', senderUserId: 'carl' };
const webhook: Partial<SystemMessageItem> = { origin: 'webhook:1', trust: 'outside' };
const fromWebhook = (): InboxItem => {
  const { senderUserId: _omitted, ...item } = mail(webhook) as InboxItem & SystemMessageItem;
  return item;
};

/**
 * Reports whether the turn for `item`, after those for `before` in the same context, knows something that its
 * starter must not learn.
 */
const knowsAfter = (item: InboxItem, ...before: readonly InboxItem[]): boolean => {
  const entry = before.reduce<HistoryEntry>(
    (last, each) => finished(begin(each, last)),
    initialEntry,
  );
  return knowsPrivateData(workOf(begin(item, entry)));
};

describe('a guest’s words', () => {
  it('a guest’s words are kept private from another guest, even if the user has written nothing', () => {
    expect(knowsAfter(mail(carl), mail())).toBe(true);
  });

  it('a guest’s words are not kept private from that guest, whichever of their agents wrote them', () => {
    const ofAgent = mail({ sender: { agentId: 'b1', userId: 'bob' } });
    expect(knowsAfter(mail(), mail(), ofAgent)).toBe(false);
    expect(knowsAfter(ofAgent, mail())).toBe(false);
  });

  it('once a second guest has written in a context, the context is private in later turns of the first guest, too; a reset ends this', () => {
    expect(knowsAfter(mail(), mail(), mail(carl))).toBe(true);
    expect(knowsAfter(mail(carl), mail(), mail(carl), reset(), mail(carl))).toBe(false);
  });

  it('a guest’s words are kept private from webhooks and strangers, and the words of webhooks and strangers from the guest', () => {
    expect(knowsAfter(fromWebhook(), mail())).toBe(true);
    expect(knowsAfter(mail({ ...carl, fromStranger: true }), mail())).toBe(true);
    expect(knowsAfter(mail(), fromWebhook())).toBe(true);
    expect(knowsAfter(mail(), mail({ ...carl, fromStranger: true }))).toBe(true);
    expect(knowsAfter(fromWebhook(), fromWebhook())).toBe(false);
  });

  it('in a subuser, too, a guest’s words are kept private from other guests but not from that guest', () => {
    const talked = finished(begin(mail(), initialEntry, 'olga'));
    expect(knowsPrivateData(workOf(begin(mail(carl), talked, 'olga')))).toBe(true);
    expect(knowsPrivateData(workOf(begin(mail(), talked, 'olga')))).toBe(false);
  });

  it('a guest’s words are kept private from other guests even if they were recorded without a turn', () => {
    expect(knowsAfter(mail(carl), mail({ silent: true }))).toBe(true);
  });

  it('a guest’s words stay attributed to that guest when the user’s own agents pass them on', () => {
    const passedOn = ownMail({ trust: 'guest', foreignWriter: 'bob' });
    expect(knowsAfter(mail(), passedOn)).toBe(false);
    expect(knowsAfter(mail(carl), passedOn)).toBe(true);
    // Also in one of the user’s own turns.
    expect(knowsAfter(mail(carl), ownMail({ foreignWriter: 'bob' }))).toBe(true);
  });

  it('foreign words without a known writer are kept private from every guest', () => {
    expect(knowsAfter(mail(), ownMail({ trust: 'guest' }))).toBe(true);
    expect(
      knowsAfter(mail(), mail({ origin: 'signal:1', senderUserId: 'ada', trust: 'guest' })),
    ).toBe(true);
  });

  it('another user’s message cannot attribute its words to a third user', () => {
    expect(knowsAfter(mail(carl), mail({ foreignWriter: 'carl' }))).toBe(true);
  });

  it('a system notice counts as free of guests’ words unless it quotes a guest’s turn', () => {
    const notice = { origin: 'system', senderUserId: 'ada', trust: 'guest' } as const;
    expect(knowsAfter(mail(), mail(notice))).toBe(false);
    const quoting = mail({ ...notice, foreignWriter: 'bob' });
    expect([knowsAfter(mail(), quoting), knowsAfter(mail(carl), quoting)]).toEqual([false, true]);
  });

  it('a guest’s words that an agent quotes in a reset stay attributed to that guest', () => {
    const quoted: InboxItem = {
      ...reset('Bob said'),
      byAgent: true,
      foreignWriter: 'bob',
    } as InboxItem;
    const asSubuser = (item: InboxItem): boolean =>
      knowsPrivateData(workOf(begin(item, begin(quoted, initialEntry, 'olga'), 'olga')));
    expect([asSubuser(mail()), asSubuser(mail(carl))]).toEqual([false, true]);
  });

  it('guests’ words in a tool result make the turn and later turns in the same context count as private', () => {
    const begun = begin(mail());
    const read = recordToolResults(workOf(begun), [result({ foreignWriter: severalWriters })]);
    expect(knowsPrivateData(read.current!)).toBe(true);
    expect(knowsPrivateData(workOf(begin(mail(), finished(take(begun, read)))))).toBe(true);
  });

  it('a turn that reads a guest’s words through a tool stays marked as having read them, but the next turn is not marked', () => {
    const begun = begin(mail());
    const read = recordToolResults(workOf(begun), [result({ provenance: 'guest' })]);
    const again = recordToolResults(read.current!, [result()]);
    expect(
      [workOf(begun), read.current, again.current].map((work) => work?.hasReadForeign),
    ).toEqual([undefined, true, true]);
    const next = begin(mail(), finished(take(begun, read)));
    expect(workOf(next).hasReadForeign).toBeUndefined();
  });

  it('in a friend’s turn, foreign words are private unless that friend wrote all of them, whatever order they are read in', () => {
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
        (wrote, starter) => {
          const foreignWriter = wrote.reduce<string | undefined>(
            (merged, writer) => mergeWriters(merged, writer),
            undefined,
          );
          const isTheirsOnly = wrote.every((writer) => writer === starter);
          const turn = { readPrivate: false, foreignWriter, startedBy: friend(starter) };
          expect(knowsPrivateData(turn)).toBe(!isTheirsOnly);
        },
      ),
    );
  });
});
