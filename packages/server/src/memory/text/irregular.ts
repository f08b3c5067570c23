/** Base forms first, then the forms that no ending gives away. */
const FORMS = `
go went gone goes|see saw seen|do did done|have had has|make made|take took taken|get got gotten|give gave given
come came|know knew known|think thought|find found|tell told|feel felt|leave left|keep kept|begin began begun
bring brought|buy bought|catch caught|teach taught|seek sought|fight fought|hold held|write wrote written|stand stood
hear heard|mean meant|meet met|run ran|pay paid|sit sat|speak spoke spoken|lead led|grow grew grown|lose lost
fall fell fallen|send sent|build built|draw drew drawn|break broke broken|spend spent|rise rose risen|drive drove driven
wear wore worn|choose chose chosen|eat ate eaten|drink drank drunk|sing sang sung|swim swam swum|ring rang rung
fly flew flown|throw threw thrown|show shown|sleep slept|sell sold|win won|wake woke woken|ride rode ridden
hide hid hidden|bite bit bitten|forget forgot forgotten|forgive forgave forgiven|steal stole stolen|freeze froze frozen
shake shook shaken|swear swore sworn|tear tore torn|lend lent|bend bent|lay laid|lie lay lain|feed fed|bleed bled
breed bred|deal dealt|dream dreamt|learn learnt|burn burnt|spell spelt|shoot shot|light lit|slide slid|stick stuck
strike struck|swing swung|dig dug|hang hung|spin spun|sink sank sunk|shrink shrank shrunk|blow blew blown
become became|understand understood|overcome overcame|undergo underwent undergone|withdraw withdrew withdrawn
sweep swept|weep wept|creep crept|kneel knelt|wind wound|bind bound|grind ground|read reads|hit hits|quit quits
child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|goose geese|wife wives|life lives
knife knives|leaf leaves|half halves|shelf shelves|wolf wolves|thief thieves|loaf loaves|calf calves|index indices
matrix matrices|vertex vertices|crisis crises|analysis analyses|thesis theses|hypothesis hypotheses|criterion criteria
phenomenon phenomena|datum data|medium media|good better best|bad worse worst|die died dying|tie tied tying
study studied studies studying|try tried tries trying|marry married marries marrying|carry carried carries
happy happier happiest|easy easier easiest|early earlier earliest|run running|swim swimming|travel traveled travelled
plan planned planning|cancel canceled cancelled cancelling|focus focused focussed
`;

export const IRREGULAR: Record<string, string> = Object.fromEntries(
  FORMS.split(/[|\n]/)
    .map((group) => group.trim().split(' '))
    .flatMap(([base = '', ...forms]) => forms.map((form) => [form, base] as const))
    .filter(([form]) => form !== ''),
);
