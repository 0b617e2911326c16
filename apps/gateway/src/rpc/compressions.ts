import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';

/** The compressions that the gateway accepts and offers. */
export const compressions = [compressionGzip, compressionBrotli];

/** Smaller messages are not compressed. */
export const minCompressedBytes = 1_024;
