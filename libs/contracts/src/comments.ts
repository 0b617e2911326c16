/** The comments in proto/, for the reference of the API. */
export { comments } from './gen/comments';
