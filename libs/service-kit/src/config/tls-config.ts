import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TlsMaterial } from '@daycare/rpc';
import type { EnvReader } from './env-reader';

/** The TLS configuration of a service, for `serverCredentials` and `channelCredentials`. */
export type TlsConfig = TlsMaterial;

const certName = 'DAYCARE_TLS_CERT_FILE';
const keyName = 'DAYCARE_TLS_KEY_FILE';
const caName = 'DAYCARE_TLS_CA_FILE';
const clientsName = 'DAYCARE_TLS_CLIENTS';
const fileNames = [certName, keyName, caName];
const switchName = 'DAYCARE_TLS';

/**
 * Reads the certificate, key and CA that the variables name; undefined, which means no TLS, when none is
 * set. Setting only some of them is a problem: a typo must not disable TLS.
 */
export function readTlsConfig(env: EnvReader): TlsConfig | undefined {
  const set = [...fileNames, clientsName].filter((name) => env.text(name, '') !== '');
  if (set.length === 0) return undefined;
  const clients = env.oneOf(clientsName, ['require', 'any'], 'require');
  const missing = fileNames.filter((name) => !set.includes(name));
  for (const name of missing) {
    env.problem(`${name} is not set; it must be a PEM file when ${set.join(', ')} is given`);
  }
  const files = missing.length === 0 ? readFiles(env) : undefined;
  return files && { ...files, clients };
}

/**
 * The TLS configuration of a service that listens at this address. Tokens must not cross a network in the clear
 * because nobody thought of certificates: if other machines can connect, running without TLS must be configured explicitly.
 */
export function readTlsFor(env: EnvReader, listen: string | undefined): TlsConfig | undefined {
  const tls = readTlsConfig(env);
  const isOff = env.oneOf(switchName, ['off', ''], '') === 'off';
  const isSet = fileNames.some((name) => env.text(name, '') !== '');
  if (isOff && isSet) env.problem(`${switchName} is off, but ${certName} or another file is set`);
  // An invalid address has been reported.
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

function readFiles(env: EnvReader): Omit<TlsConfig, 'clients'> | undefined {
  const pair = readPair(env, { cert: certName, key: keyName });
  const ca = readPem(env, caName, 'a certificate', parseCertificates);
  return pair && ca && { ...pair, ca: ca.pem };
}

/** A certificate with its key, as PEM. */
export type KeyPair = Pick<TlsConfig, 'cert' | 'key'>;

/** Reads the certificate and key that two variables name; undefined when neither is set. */
export function readKeyPair(
  env: EnvReader,
  names: Readonly<Record<keyof KeyPair, string>>,
): KeyPair | undefined {
  const isSet = (name: string): boolean => env.text(name, '') !== '';
  if (isSet(names.cert) && isSet(names.key)) return readPair(env, names);
  if (isSet(names.cert) || isSet(names.key))
    env.problem(`${names.cert} and ${names.key} must be set together`);
  return undefined;
}

function readPair(
  env: EnvReader,
  names: Readonly<Record<keyof KeyPair, string>>,
): KeyPair | undefined {
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
  const path = env.text(name);
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

/** Parses all certificates, since TLS skips invalid ones; the first is the service's own. */
function parseCertificates(pem: Buffer): X509Certificate {
  const blocks = pem.toString('latin1').match(certificateBlock) ?? [];
  const [first] = blocks.map((block) => new X509Certificate(block));
  if (!first) throw new Error('no certificate');
  return first;
}

function parseKey(pem: Buffer): KeyObject {
  return createPrivateKey({ key: pem, format: 'pem' });
}
