import { z } from 'zod';

/** Lists are returned as lines of text unless the caller asks for a page of objects. */
export const pageOffset = z
  .int()
  .min(0)
  .optional()
  .describe(
    'The position to start at, e.g. 0. If set, the entries are returned as objects instead of lines of text, with nextOffset if there are more',
  );
