import { basicAuthorization, ServiceCredential } from '@daycare/auth';
import type { CredentialedService } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';
import type { Identity } from '../clients/clients';

/** Obtains a service's credential in the same way as the service itself does. */
export async function issueServiceCredential(
  { credentials }: TestStack,
  identity: Identity,
  service: CredentialedService,
): Promise<ServiceCredential> {
  const authorization = basicAuthorization(service, credentials.services[service]);
  const credential = await ServiceCredential.create({
    service,
    onFailure: (error) => {
      throw error;
    },
    requestToken: async (publicKey) => {
      const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(publicKey) };
      const { tokens } = await identity.issueToken(request, { metadata: { authorization } });
      return { token: tokens!.accessToken, expiresAt: tokens!.accessExpiresAt! };
    },
  });
  await credential.start();
  credential.stop();
  return credential;
}
