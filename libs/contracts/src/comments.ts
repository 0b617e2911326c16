/** The comments in proto/, for the API reference. */
export { comments } from './gen/comments';
