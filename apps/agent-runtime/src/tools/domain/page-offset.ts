import { z } from 'zod';

/** Lists are lines of text unless a caller asks for a page of objects. */
export const pageOffset = z
  .int()
  .min(0)
  .optional()
  .describe(
    'Returns objects instead of lines, starting at this position, with nextOffset if more follow',
  );
