/** Each category, and the word in an activity's title that tells it belongs there. */
export const CATEGORIES = { 'Web Dev': 'page', AI: 'model', Support: 'customer' } as const;
export type Category = keyof typeof CATEGORIES;
export const CATEGORY_NAMES = Object.keys(CATEGORIES) as Category[];

export const PER_PAGE = 15;

/** What the scripted agent is to do: which workflow, on which records. */
export interface Job {
  workflow: string;
  model: string;
}

/** What the user asks for. */
export function taskOf({ workflow }: Job): string {
  return `Run the workflow "${workflow}" from step 2. The categories are ${CATEGORY_NAMES.join(', ')}.`;
}

/** The category whose word is in the title: what an agent concludes from reading it. */
export function categoryFor(title: string): Category | undefined {
  return CATEGORY_NAMES.find((category) => title.includes(CATEGORIES[category]));
}
