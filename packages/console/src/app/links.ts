import { defaultStringifySearch } from '@tanstack/react-router';

/** Addresses of single things, wherever in the page somebody names one. */
const at = (path: string, search: Record<string, unknown> = {}): string =>
  path + defaultStringifySearch(search);
const part = encodeURIComponent;

export const links = {
  conversation: (id: string) => at(`/window/${part(id)}`),
  session: (id: string) => at(`/tree/${part(id)}`),
  branch: (session: string, id: string) => at(`/tree/${part(session)}`, { node: id }),
  memoryItem: (id: string) => at('/memory/item', { id }),
  libraryFile: (project: string, id: string) => at('/library/files', { project, item: id }),
  pod: (name: string) => at(`/pods/${part(name)}`),
  source: (model: string) => at(`/records/source/${part(model)}`),
  workflow: (project: string, id: string) => at(`/records/workflows/${part(id)}`, { project }),
  systemPage: (page: string, search: Record<string, unknown> = {}) => at(`/system/${part(page)}`, search),
  tool: (name: string) => at('/conversation', { tool: name }),
};
