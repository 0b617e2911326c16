import { z } from 'zod';

/** Lists are returned as lines of text unless the caller asks for a page of objects. */
export const pageOffset = z
  .int()
  .min(0)
  .optional()
  .describe(
    'Set it, e.g. to 0, to get objects from this position on instead of lines, with nextOffset if more follow',
  );
