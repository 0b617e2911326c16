import { describe, expect, it } from '@jest/globals';
import { routeProblem } from './check-route';

describe('routeProblem', () => {
  const fromTopology = { source: 'topology', message: undefined };

  it('refuses the id of a notice about a tie from anyone but the service that owns ties', () => {
    const id = 'tie-alice_bob-7';
    expect(routeProblem('agents', { ...fromTopology, id })).toMatch('notice about a tie');
    expect(routeProblem('agents', { ...fromTopology, id, source: 'social-graph' })).toBeUndefined();
  });

  it('accepts other ids from any service that may send to the group', () => {
    expect(routeProblem('agents', { ...fromTopology, id: 'm1' })).toBeUndefined();
  });
});
