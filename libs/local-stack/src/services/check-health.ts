import { credentials, Metadata } from '@grpc/grpc-js';
import { HealthCheckResponse_ServingStatus, HealthClient } from '@daycare/contracts/health';

const serving = HealthCheckResponse_ServingStatus.SERVING;

/** Reports whether `grpc.health.v1.Health/Check` returns SERVING; throws if the call fails or takes too long. */
export async function isServing(address: string, timeoutMs = 2_000): Promise<boolean> {
  const client = new HealthClient(address, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + timeoutMs;
      client.check({ service: '' }, new Metadata(), { deadline }, (error, answer) =>
        error ? reject(error) : resolve(answer.status === serving),
      );
    });
  } finally {
    client.close();
  }
}
