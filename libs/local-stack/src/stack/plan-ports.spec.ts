import { afterEach, describe, expect, it } from '@jest/globals';
import { holdPort, isPortFree, releasePort } from '../servers/ports';
import { planPorts, type PlannedPort, type PortWish } from './plan-ports';

describe('planPorts', () => {
  const given: PlannedPort[] = [];
  const plan = async (...wishes: PortWish[]): Promise<PlannedPort[]> => {
    const planned = await planPorts(wishes);
    given.push(...planned);
    return planned;
  };
  const findFree = async (): Promise<number> => {
    const [planned] = await planPorts([{ owner: 'probe' }]);
    await planned!.giveUp();
    return planned!.port;
  };
  afterEach(() => Promise.all(given.splice(0).map((port) => port.giveUp())));

  it('gives the preferred port when it is free', async () => {
    const preferred = await findFree();
    const [planned] = await plan({ owner: 'identity', preferred });
    expect(planned!.port).toBe(preferred);
  });

  it('gives another one when the preferred port is taken', async () => {
    const preferred = await findFree();
    const held = await holdPort(preferred);
    const [planned] = await plan({ owner: 'identity', preferred });
    expect(planned!.port).not.toBe(preferred);
    await releasePort(held!);
  });

  it('never gives one port twice, and keeps others off until it is opened', async () => {
    const preferred = await findFree();
    const [a, b] = await plan({ owner: 'a', preferred }, { owner: 'b', preferred });
    expect(a!.port).not.toBe(b!.port);
    expect(await isPortFree(a!.port)).toBe(false);
    await a!.open();
    expect(await isPortFree(a!.port)).toBe(true);
  });

  it('keeps a second launcher off a port that is opened but not yet listened on', async () => {
    const preferred = await findFree();
    const [first] = await plan({ owner: 'first', preferred });
    await first!.open();
    const [second] = await plan({ owner: 'second', preferred });
    const apart = process.platform === 'linux';
    expect(second!.port !== preferred).toBe(apart);
  });

  it('serves who asked for a port before who merely prefers it', async () => {
    const port = await findFree();
    const [preferring, asking] = await plan(
      { owner: 'identity', preferred: port },
      { owner: 'topology', configured: { port, variable: 'DAYCARE_TOPOLOGY_PORT' } },
    );
    expect(asking!.port).toBe(port);
    expect(preferring!.port).not.toBe(port);
  });

  it('says who wanted which port and what to do when a configured one is taken', async () => {
    const port = await findFree();
    const held = await holdPort(port);
    const configured = { port, variable: 'DAYCARE_IDENTITY_PORT' };
    await expect(plan({ owner: 'identity', configured })).rejects.toThrow(
      `Port ${port}, which identity is to listen on, is taken; stop the program that has it ` +
        'or set DAYCARE_IDENTITY_PORT to a free port.',
    );
    await releasePort(held!);
  });

  it('lets go of everything when one wish cannot be met', async () => {
    const [free, taken] = [await findFree(), await findFree()];
    const held = await holdPort(taken);
    const asked = (owner: string, port: number): PortWish => ({
      owner,
      configured: { port, variable: 'X' },
    });
    await expect(plan(asked('a', free), asked('b', taken))).rejects.toThrow('b is to listen on');
    expect(await isPortFree(free)).toBe(true);
    await releasePort(held!);
  });
});
