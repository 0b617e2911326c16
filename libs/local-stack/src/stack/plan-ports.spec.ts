import { afterEach, describe, expect, it } from '@jest/globals';
import { holdPort, isPortFree, releasePort } from '../servers/ports';
import { planPorts, type PlannedPort, type PortRequest } from './plan-ports';

describe('planPorts', () => {
  const reserved: PlannedPort[] = [];
  const plan = async (...requests: PortRequest[]): Promise<PlannedPort[]> => {
    const planned = await planPorts(requests);
    reserved.push(...planned);
    return planned;
  };
  const findFree = async (): Promise<number> => {
    const [planned] = await planPorts([{ owner: 'probe' }]);
    await planned!.release();
    return planned!.port;
  };
  afterEach(() => Promise.all(reserved.splice(0).map((port) => port.release())));

  it('returns the preferred port when it is free', async () => {
    const preferred = await findFree();
    const [planned] = await plan({ owner: 'identity', preferred });
    expect(planned!.port).toBe(preferred);
  });

  it('returns another port when the preferred one is in use', async () => {
    const preferred = await findFree();
    const held = await holdPort(preferred);
    const [planned] = await plan({ owner: 'identity', preferred });
    expect(planned!.port).not.toBe(preferred);
    await releasePort(held!);
  });

  it('never returns a port twice, and reserves each port until it is opened', async () => {
    const preferred = await findFree();
    const [a, b] = await plan({ owner: 'a', preferred }, { owner: 'b', preferred });
    expect(a!.port).not.toBe(b!.port);
    expect(await isPortFree(a!.port)).toBe(false);
    await a!.open();
    expect(await isPortFree(a!.port)).toBe(true);
  });

  it('on Linux, does not choose a port that another launcher has opened but on which no server listens yet', async () => {
    const preferred = await findFree();
    const [first] = await plan({ owner: 'first', preferred });
    await first!.open();
    const [second] = await plan({ owner: 'second', preferred });
    const isReserved = process.platform === 'linux';
    expect(second!.port !== preferred).toBe(isReserved);
  });

  it('gives a configured port precedence over a preferred one', async () => {
    const port = await findFree();
    const [preferring, configured] = await plan(
      { owner: 'identity', preferred: port },
      { owner: 'topology', configured: { port, variable: 'DAYCARE_TOPOLOGY_PORT' } },
    );
    expect(configured!.port).toBe(port);
    expect(preferring!.port).not.toBe(port);
  });

  it('the error for a configured port that is in use names the owner, the port and the variable', async () => {
    const port = await findFree();
    const held = await holdPort(port);
    const configured = { port, variable: 'DAYCARE_IDENTITY_PORT' };
    await expect(plan({ owner: 'identity', configured })).rejects.toThrow(
      `Port ${port}, configured for identity, is in use; stop the program that uses it ` +
        'or set DAYCARE_IDENTITY_PORT to a free port.',
    );
    await releasePort(held!);
  });

  it('releases all ports when one request fails', async () => {
    const [free, taken] = [await findFree(), await findFree()];
    const held = await holdPort(taken);
    const requestOf = (owner: string, port: number): PortRequest => ({
      owner,
      configured: { port, variable: 'X' },
    });
    await expect(plan(requestOf('a', free), requestOf('b', taken))).rejects.toThrow(
      'configured for b',
    );
    expect(await isPortFree(free)).toBe(true);
    await releasePort(held!);
  });
});
