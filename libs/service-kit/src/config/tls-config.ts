import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles, TlsMaterial } from '@daycare/rpc';
import type { EnvReader } from './env-reader';
import { FileRenewals, type PemFiles } from './file-renewals';

/** The TLS configuration of a service, for `serverCredentials` and `channelCredentials`. */
export interface TlsConfig extends TlsMaterial {
  readonly renewals: FileRenewals<TlsFiles>;
}

const certName = 'DAYCARE_TLS_CERT_FILE';
const keyName = 'DAYCARE_TLS_KEY_FILE';
const caName = 'DAYCARE_TLS_CA_FILE';
const clientsName = 'DAYCARE_TLS_CLIENTS';
const files = {
  [certName]: "PEM: the service's certificate, followed by any intermediates",
  [keyName]: 'PEM: its private key, without a passphrase',
  [caName]: 'PEM: the CA, or several during a CA change; no other authority is trusted',
};
const fileNames = Object.keys(files);
const switchName = 'DAYCARE_TLS';

/**
 * Reads the certificate, key and CA that the variables name; returns undefined, which means no TLS, if none is set.
 * Setting only some of them is reported as a problem, because a typo must not disable TLS.
 */
export function readTlsConfig(env: EnvReader): TlsConfig | undefined {
  const clients = env.oneOf(clientsName, ['require', 'any'], {
    default: 'require',
    about:
      '`require`: a client without a certificate from the CA is refused in the handshake; `any`: only the server needs one',
  });
  for (const [name, about] of Object.entries(files)) env.path(name, { about });
  const everyMs = readReloadMs(env);
  const setNames = [...fileNames, clientsName].filter((name) => env.isSet(name));
  if (setNames.length === 0) return undefined;
  const missing = fileNames.filter((name) => !setNames.includes(name));
  for (const name of missing) {
    const areSet = `${setNames.join(' and ')} ${setNames.length === 1 ? 'is' : 'are'} set`;
    env.problem(`${areSet}, so ${name} must be set, too, to the path of a PEM file`);
  }
  const pems = missing.length === 0 ? readFiles(env) : undefined;
  return pems && { ...pems, clients, renewals: renewalsOf(env, pems, readFiles, everyMs) };
}

function readReloadMs(env: EnvReader): number {
  return env.integer('DAYCARE_TLS_RELOAD_MS', {
    default: 10_000,
    min: 100,
    max: 86_400_000,
    about: 'how often the TLS files are reread; renewed files apply to new connections',
  });
}

/** Rereads the same paths; files that cannot be used do not replace those in use. */
function renewalsOf<Files extends PemFiles>(
  env: EnvReader,
  current: Files,
  read: (env: EnvReader) => Files | undefined,
  everyMs: number,
): FileRenewals<Files> {
  const readAgain = (): Files => {
    const reader = env.restart();
    const { files } = reader.done({ files: read(reader) });
    if (!files) throw new Error('The files are incomplete');
    // Throws for files that cannot be used, e.g. a truncated chain, which `read` accepts if its first certificate is
    // complete.
    createSecureContext(files);
    return files;
  };
  return new FileRenewals(current, readAgain, everyMs);
}

/**
 * Reads the TLS configuration of a service that listens on this address. Tokens must not cross a network in the clear
 * by accident, so if other machines can connect, running without TLS must be configured explicitly.
 */
export function readTlsFor(env: EnvReader, listen: string | undefined): TlsConfig | undefined {
  const tls = readTlsConfig(env);
  const isOff =
    env.oneOf(switchName, ['off', ''], {
      default: '',
      about: '`off` allows a service to run without TLS even if other machines can reach it',
    }) === 'off';
  const isSet = fileNames.some((name) => env.isSet(name));
  if (isOff && isSet) env.problem(`${switchName} is off, but ${certName} or another file is set`);
  // `listen` is undefined if the address is invalid, which has already been reported.
  if (!isOff && !isSet && listen !== undefined && !isLoopback(listen))
    env.problem(
      `DAYCARE_LISTEN is "${listen}", which other machines can reach, and TLS is not configured: set ${fileNames.join(', ')}, or ${switchName}=off to send tokens in the clear`,
    );
  return tls;
}

function isLoopback(address: string): boolean {
  const host = address.slice(0, address.lastIndexOf(':'));
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);
}

function readFiles(env: EnvReader): TlsFiles | undefined {
  const pair = readPair(env, { cert: certName, key: keyName });
  const ca = readPem(env, caName, 'a certificate', parseCertificates);
  return pair && ca && { ...pair, ca: ca.pem };
}

type PairFiles = Pick<TlsFiles, 'cert' | 'key'>;
type PairNames = Readonly<Record<keyof PairFiles, string>>;

/** A certificate with its key, as PEM, and the renewed pairs that replace it later. */
export interface KeyPair extends PairFiles {
  readonly renewals?: FileRenewals<PairFiles>;
}

/** Reads the certificate and key that two variables name; returns undefined unless both are set and can be read. */
export function readKeyPair(env: EnvReader, names: PairNames, about: string): KeyPair | undefined {
  env.path(names.cert, { about: `PEM: ${about}` });
  env.path(names.key, { about: 'PEM: its private key, without a passphrase' });
  const everyMs = readReloadMs(env);
  if (env.isSet(names.cert) && env.isSet(names.key)) {
    const pair = readPair(env, names);
    const read = (reader: EnvReader): PairFiles | undefined => readPair(reader, names);
    return pair && { ...pair, renewals: renewalsOf(env, pair, read, everyMs) };
  }
  if (env.isSet(names.cert) || env.isSet(names.key))
    env.problem(`${names.cert} and ${names.key} must be set together`);
  return undefined;
}

function readPair(env: EnvReader, names: PairNames): PairFiles | undefined {
  const cert = readPem(env, names.cert, 'a certificate', parseCertificates);
  const key = readPem(env, names.key, 'a private key without a passphrase', parseKey);
  if (!cert || !key) return undefined;
  if (!cert.parsed.checkPrivateKey(key.parsed)) {
    env.problem(`${names.key} is not the key of the certificate in ${names.cert}`);
  }
  return { cert: cert.pem, key: key.pem };
}

function readPem<T>(
  env: EnvReader,
  name: string,
  takes: string,
  parse: (pem: Buffer) => T,
): { pem: Buffer; parsed: T } | undefined {
  const path = env.valueOf(name);
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    env.problem(`${name} is "${path}", which cannot be read: ${reason}`);
    return undefined;
  }
  try {
    return { pem, parsed: parse(pem) };
  } catch {
    env.problem(`${name} is "${path}", which does not contain ${takes} in PEM form`);
    return undefined;
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/**
 * Parses all certificates, because TLS would silently skip an invalid one, and returns the service's own, the first.
 */
function parseCertificates(pem: Buffer): X509Certificate {
  const blocks = pem.toString('latin1').match(certificateBlock) ?? [];
  const [first] = blocks.map((block) => new X509Certificate(block));
  if (!first) throw new Error('no certificate');
  return first;
}

function parseKey(pem: Buffer): KeyObject {
  return createPrivateKey({ key: pem, format: 'pem' });
}
