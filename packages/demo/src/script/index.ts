/** The scripted agent that shows what collapsing does: the same in the command line's demo and in the console. */
export { type Answer, Conversation, type Message, promptTokens } from './conversation.ts';
export {
  CATEGORIES,
  CATEGORY_NAMES,
  type Category,
  categoryFor,
  type Job,
  PER_PAGE,
  taskOf,
} from './job.ts';
export {
  analyse,
  begin,
  type Done,
  fetchPage,
  findingFor,
  type PageOfRows,
  pageByPage,
  report,
  store,
} from './reclassify.ts';
