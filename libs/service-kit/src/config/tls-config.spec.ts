import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { ConfigError, EnvReader } from './env-reader';
import { readTlsConfig, readTlsFor, type TlsConfig } from './tls-config';

let folder: string;
let all: Record<string, string>;

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function makeCertificate(passphrase?: string) {
  const subject = [{ name: 'commonName', value: 'identity' }];
  const encrypted = passphrase !== undefined && { passphrase };
  return generate(subject, { keyType: 'ec', algorithm: 'sha256', ...encrypted });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-tls-'));
  const [own, other, locked] = await Promise.all([
    makeCertificate(),
    makeCertificate(),
    makeCertificate('secret'),
  ]);
  all = {
    DAYCARE_TLS_CERT_FILE: file('tls.crt', own.cert + other.cert),
    DAYCARE_TLS_KEY_FILE: file('tls.key', own.private),
    DAYCARE_TLS_CA_FILE: file('ca.crt', other.cert),
  };
  file('other.key', other.private);
  file('locked.key', locked.private);
  file('half.crt', own.cert + other.cert.replace('MII', 'xxx'));
  file('text', 'no PEM at all');
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(env: Record<string, string>): TlsConfig | undefined {
  const reader = new EnvReader(env);
  return reader.done({ tls: readTlsConfig(reader) }).tls;
}

function problems(env: Record<string, string>): string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('readTlsConfig', () => {
  it('returns undefined if no TLS variable is set', () => {
    expect(read({})).toBeUndefined();
    expect(read({ DAYCARE_TLS_CERT_FILE: '', DAYCARE_TLS_CLIENTS: '' })).toBeUndefined();
  });

  it('returns the files and requires client certificates by default', () => {
    const tls = read(all);
    expect(tls?.clients).toBe('require');
    expect(String(tls?.cert)).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(String(tls?.key)).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(String(tls?.ca)).toMatch(/^-----BEGIN CERTIFICATE-----/);
  });

  it('accepts clients without certificates if DAYCARE_TLS_CLIENTS is any', () => {
    expect(read({ ...all, DAYCARE_TLS_CLIENTS: 'any' })?.clients).toBe('any');
    expect(problems({ ...all, DAYCARE_TLS_CLIENTS: 'none' })).toEqual([
      'DAYCARE_TLS_CLIENTS is "none", but must be one of require, any',
    ]);
  });

  it.each(['DAYCARE_TLS_CERT_FILE', 'DAYCARE_TLS_KEY_FILE', 'DAYCARE_TLS_CA_FILE'])(
    'rejects a TLS configuration without %s',
    (name) => {
      expect(problems({ ...all, [name]: '' })).toEqual([
        expect.stringContaining(`, so ${name} must be set, too, to the path of a PEM file`),
      ]);
    },
  );

  it('names every missing TLS variable', () => {
    expect(problems({ DAYCARE_TLS_CLIENTS: 'require' })).toHaveLength(3);
  });

  it('names a file that cannot be read, and says why', () => {
    expect(problems({ ...all, DAYCARE_TLS_CA_FILE: '/nowhere/ca.crt' })).toEqual([
      'DAYCARE_TLS_CA_FILE is "/nowhere/ca.crt", which cannot be read: ENOENT',
    ]);
  });

  it.each([
    ['DAYCARE_TLS_CERT_FILE', 'text', 'a certificate'],
    ['DAYCARE_TLS_CERT_FILE', 'tls.key', 'a certificate'],
    ['DAYCARE_TLS_CA_FILE', 'half.crt', 'a certificate'],
    ['DAYCARE_TLS_KEY_FILE', 'tls.crt', 'a private key without a passphrase'],
    ['DAYCARE_TLS_KEY_FILE', 'locked.key', 'a private key without a passphrase'],
  ])('rejects %s=%s, because that file does not contain %s', (name, fileName, takes) => {
    const path = join(folder, fileName);
    expect(problems({ ...all, [name]: path })).toEqual([
      `${name} is "${path}", which does not contain ${takes} in PEM form`,
    ]);
  });

  it('rejects a key that does not match the certificate', () => {
    expect(problems({ ...all, DAYCARE_TLS_KEY_FILE: join(folder, 'other.key') })).toEqual([
      'DAYCARE_TLS_KEY_FILE is not the key of the certificate in DAYCARE_TLS_CERT_FILE',
    ]);
  });
});

describe('renewed files', () => {
  afterEach(() => void jest.useRealTimers());

  it('are passed on when certificate and key match, and a problem in between is reported only once', async () => {
    jest.useFakeTimers();
    const [first, second] = await Promise.all([makeCertificate(), makeCertificate()]);
    const renewed = {
      DAYCARE_TLS_CERT_FILE: file('renewed.crt', first.cert),
      DAYCARE_TLS_KEY_FILE: file('renewed.key', first.private),
      DAYCARE_TLS_CA_FILE: file('renewed-ca.crt', first.cert),
    };
    const { renewals } = read({ ...renewed, DAYCARE_TLS_RELOAD_MS: '1000' })!;
    const events: string[] = [];
    const unsubscribe = renewals.subscribe(
      ({ cert, key }) => events.push(String(cert), String(key)),
      (problem) => events.push(problem.message),
    );
    const letTimePass = () => jest.advanceTimersByTime(3_000);
    letTimePass();
    file('renewed.crt', second.cert);
    letTimePass();
    const mismatch =
      'DAYCARE_TLS_KEY_FILE is not the key of the certificate in DAYCARE_TLS_CERT_FILE';
    expect(events).toEqual([mismatch]);
    file('renewed.key', second.private);
    letTimePass();
    expect(events).toEqual([mismatch, second.cert, second.private]);
    // A late subscriber gets the files that are now in use.
    expect(String(renewals.current.cert)).toBe(second.cert);
    unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('a partially written certificate chain does not replace the one in use', async () => {
  jest.useFakeTimers();
  const [first, second] = await Promise.all([makeCertificate(), makeCertificate()]);
  const { renewals } = read({
    DAYCARE_TLS_CERT_FILE: file('chain.crt', first.cert),
    DAYCARE_TLS_KEY_FILE: file('chain.key', first.private),
    DAYCARE_TLS_CA_FILE: file('chain-ca.crt', first.cert),
    DAYCARE_TLS_RELOAD_MS: '1000',
  })!;
  const renewed: string[] = [];
  const unsubscribe = renewals.subscribe(({ cert }) => renewed.push(String(cert)));
  const half = second.cert.slice(0, second.cert.length / 2);
  file('chain.crt', `${first.cert}\n${half}`);
  jest.advanceTimersByTime(5_000);
  expect(renewed).toEqual([]);
  const whole = `${first.cert}\n${second.cert}`;
  file('chain.crt', whole);
  jest.advanceTimersByTime(5_000);
  expect(renewed).toEqual([whole]);
  unsubscribe();
  jest.useRealTimers();
});

describe('readTlsFor', () => {
  const problemsAt = (listen: string, env: Record<string, string> = {}): string[] => {
    const reader = new EnvReader(env);
    readTlsFor(reader, listen);
    try {
      reader.done({});
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };

  it.each(['0.0.0.0:50051', '[::]:50051', '10.0.0.7:1', 'identity:50051', '127.0.0.1.example:1'])(
    'refuses to listen on %s without TLS',
    (listen) => {
      expect(problemsAt(listen)).toEqual([
        `DAYCARE_LISTEN is "${listen}", which other machines can reach, and TLS is not configured: set DAYCARE_TLS_CERT_FILE, DAYCARE_TLS_KEY_FILE, DAYCARE_TLS_CA_FILE, or DAYCARE_TLS=off to send tokens in the clear`,
      ]);
    },
  );

  it('allows any address with certificates, or if TLS is switched off explicitly', () => {
    expect(problemsAt('0.0.0.0:50051', all)).toEqual([]);
    expect(problemsAt('0.0.0.0:50051', { DAYCARE_TLS: 'off' })).toEqual([]);
  });

  it.each(['127.0.0.1:0', '127.1.2.3:1', 'localhost:0', '[::1]:50051'])(
    'needs no TLS on %s, where only this machine can connect',
    (listen) => {
      expect(problemsAt(listen)).toEqual([]);
    },
  );

  it('refuses DAYCARE_TLS=off together with certificates, and any value of DAYCARE_TLS other than off', () => {
    expect(problemsAt('127.0.0.1:0', { ...all, DAYCARE_TLS: 'off' })).toEqual([
      'DAYCARE_TLS is off, but DAYCARE_TLS_CERT_FILE or another file is set',
    ]);
    expect(problemsAt('127.0.0.1:0', { DAYCARE_TLS: 'no' })).toHaveLength(1);
  });
});
