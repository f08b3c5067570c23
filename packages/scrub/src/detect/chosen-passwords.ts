import { isPlaceholder } from '../text/placeholder.ts';
import { shapeOf } from '../text/randomness.ts';

const REFERENCE = /^[-$<%@/~{([*.]|^[a-z][a-z0-9+.-]{1,20}:\/\/|^[\d.:/]+$/i;
const FILE_NAME = /\.(?:pem|key|crt|jks|json|ya?ml|txt|env|sql|sh|js|ts|py|go|md|gz|zip|conf|cfg)$/i;
/** What Google and WordPress make for other programs: groups of four. */
export const APP_PASSWORD = /^(?:[a-z]{4} ){3}[a-z]{4}$|^(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/;
const SIGNS = /[!#$%^&*+?=@]/;

/**
 * Whether a person may have chosen this value as a password. Only for places where a password is certain to
 * stand (`mysql -p…`): prose and code are full of such words.
 */
export function looksChosen(value: string): boolean {
  if (value.length < 6 || REFERENCE.test(value) || FILE_NAME.test(value) || isPlaceholder(value))
    return false;
  if (/\s/.test(value)) return APP_PASSWORD.test(value);
  const shape = shapeOf(value);
  const letters = shape.lower + shape.upper;
  if (letters === 0) return false;
  if (shape.digits > 0) return true;
  return (shape.upper > 0 && shape.lower > 0 && shape.turns >= 2) || SIGNS.test(value);
}
