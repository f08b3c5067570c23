import { signs } from './signs.ts';

/** What people say where something is other than it was. */
const CHANGE = signs(`
  now no-longer not-anymore anymore any-more instead changed moved switched replaced renamed raised lowered postponed
  cancelled from-now-on as-of after-all changed-(?:my|our)-mind went-(?:up|down) gone-(?:up|down) back-to update: correction
  jetzt inzwischen mittlerweile nicht-mehr stattdessen statt geändert verschoben gewechselt ersetzt umbenannt erhöht gesenkt
  doch-nicht ab-sofort umgebucht abgesagt vorverlegt
  maintenant désormais ne-plus plus-que au-lieu changé remplacé reporté annulé
  ahora ya-no en-vez cambiado cambiamos cambió reemplazado pospuesto cancelado
  agora já-não em-vez mudou mudado substituído adiado cancelado
  adesso ormai non-più invece cambiato sostituito rinviato annullato
  nu niet-meer voortaan veranderd vervangen uitgesteld verplaatst
  теперь больше-не вместо изменил(?:и|ось)? заменил[иа]? перенес(?:ли|ён)`);

export function tellsChange(text: string): boolean {
  return CHANGE.test(text);
}
