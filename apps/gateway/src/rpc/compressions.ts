import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';

/** The compressions that the gateway accepts and offers. */
export const compressions = [compressionGzip, compressionBrotli];

/** Smaller messages are sent as they are. */
export const minCompressedBytes = 1_024;
