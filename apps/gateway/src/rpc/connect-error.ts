import { Code, ConnectError } from '@connectrpc/connect';
import { fromBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { toAppError } from '@daycare/api';
import { toStatus } from '@daycare/rpc';
import { registry } from './public-services';

interface Detail {
  readonly desc: DescMessage;
  readonly value: MessageInitShape<DescMessage>;
}

const codes = Object.values(Code).filter((code) => typeof code === 'number');
const typePrefix = 'type.googleapis.com/';

/**
 * Converts an error from a service or the gateway itself to the form that the gateway sends in every protocol.
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const { code: number, message, details } = toStatus(toAppError(error));
  const code = codes.find((each) => (each as number) === number);
  return new ConnectError(message, code, undefined, details.flatMap(readDetail), error);
}

function readDetail({ typeUrl, value }: { typeUrl: string; value: Uint8Array }): Detail[] {
  const desc = registry.getMessage(typeUrl.slice(typePrefix.length));
  return desc ? [{ desc, value: fromBinary(desc, value) }] : [];
}
