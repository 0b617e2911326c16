import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ModelCatalogue } from '../catalogue/model-catalogue';
import { nameOf } from '../catalogue/model-entry';
import { notConfigured, pickModel, fallbackNote, type Candidate } from './pick-model';

const catalogue = new ModelCatalogue();
const model = (id: string) => catalogue.resolve({ provider: 'p', id });
const fine = (id: string): Candidate => ({ model: model(id), isConfigured: true });
const down = (id: string): Candidate => ({ ...fine(id), obstacle: 'it is down' });
const absent = (id: string): Candidate => ({ ...fine(id), isConfigured: false });
const failed = (id: string) => ({ model: `p/${id}`, reason: 'it failed' });

describe('pickModel', () => {
  it('picks the first model in the list', () => {
    expect(pickModel([fine('a'), fine('b')], [])).toEqual({
      model: model('a'),
      fallbackFor: undefined,
      hasOther: true,
    });
  });

  it.each([
    ['it is down', down('a'), []],
    [notConfigured, absent('a'), []],
    ['it failed', fine('a'), [failed('a')]],
  ])('picks the next model when the first cannot be used because %s', (reason, first, failures) => {
    expect(pickModel([first, fine('b')], failures)).toMatchObject({
      model: { id: 'b' },
      fallbackFor: { model: 'p/a', reason },
    });
  });

  it('when all models have failed recently, picks the first one that has not yet failed in the turn', () => {
    expect(pickModel([down('a'), down('b')], [])).toMatchObject({
      model: { id: 'a' },
      fallbackFor: undefined,
    });
    expect(pickModel([down('a'), down('b')], [failed('a')])?.model.id).toBe('b');
  });

  it('picks a model again, and reports that no other is left, when every configured model has failed in the turn', () => {
    expect(pickModel([fine('a'), absent('b')], [failed('a')])).toEqual({
      model: model('a'),
      fallbackFor: undefined,
      hasOther: false,
    });
    const all = [failed('a'), failed('b'), failed('c')];
    expect(pickModel([fine('a'), fine('c')], all)).toMatchObject({ hasOther: false });
  });

  it('picks no model when none is configured', () => {
    expect(pickModel([absent('a'), absent('b')], [])).toBeUndefined();
    expect(pickModel([], [])).toBeUndefined();
  });

  it('picking again after each failure tries every configured model in a list exactly once', () => {
    const kinds = fc.constantFrom(fine, down, absent);
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 1, maxLength: 5 }), (list) => {
        const candidates = list.map((kind, index) => kind(`m${index}`));
        const tried: string[] = [];
        for (;;) {
          const failures = tried.map((name) => ({ model: name, reason: 'it failed' }));
          const picked = pickModel(candidates, failures);
          if (!picked) break;
          const configuredCount = candidates.filter(({ isConfigured }) => isConfigured).length;
          expect(picked.hasOther).toBe(configuredCount - tried.length > 1);
          tried.push(nameOf(picked.model));
          if (!picked.hasOther) break;
        }
        const usable = candidates.filter(({ isConfigured }) => isConfigured);
        expect(new Set(tried)).toEqual(new Set(usable.map((each) => nameOf(each.model))));
        expect(tried).toHaveLength(usable.length);
      }),
    );
  });
});

it('a note about a fallback names both models and the reason', () => {
  expect(fallbackNote(failed('a'), { provider: 'q', id: 'b' })).toBe(
    'p/a cannot be used (it failed); q/b answers instead.',
  );
});
