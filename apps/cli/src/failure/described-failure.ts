import type { Description } from './describe-failure';

/** A command's failure, with everything that the command knows about it. */
export class DescribedFailure extends Error {
  override readonly name = 'DescribedFailure';

  constructor(readonly description: Description) {
    super(description.message);
  }
}
