/** `npm run test:faults` sets it: hundreds of deaths instead of a few, and every property with all of its runs. */
export const LONG = process.env.INFOLD_FAULTS === 'long';

/**
 * How often a property is tried that takes more than a moment: as often as it says in the long form, a fifth of that every
 * day. A seed is new with each run of the tests, so that days add up. Properties that are cheap say their number themselves.
 */
export const runs = (thorough: number): number => (LONG ? thorough : Math.max(5, Math.ceil(thorough / 5)));
