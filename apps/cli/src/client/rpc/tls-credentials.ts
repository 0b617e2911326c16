import { readFileSync } from 'node:fs';
import { ChannelCredentials } from '@grpc/grpc-js';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { TlsFiles } from '../contexts/context';

/** Returns the credentials for connections; without files, connections are unencrypted. */
export function tlsCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  try {
    const [ca, key, cert] = [tls.ca, tls.key, tls.cert].map((file) =>
      file ? readFileSync(file) : null,
    );
    return ChannelCredentials.createSsl(ca, key, cert);
  } catch (error) {
    throw new Failure(
      exitCodes.usage,
      `Cannot use the TLS files: ${(error as Error).message}`,
      'Change them with "daycare context set NAME --tls-ca FILE --tls-cert FILE --tls-key FILE".',
    );
  }
}
