const WORDS = `
a an the this that these those there here it its it's he him his she her hers they them their theirs we us our ours
i me my mine you your yours myself yourself himself herself themselves itself who whom whose which what when where why
how am is are was were be been being do does did doing done have has had having will would shall should can could may
might must and or but nor so if then else than as of at by for from in into on onto off out over under up down with
without within about above below after before between during through to too very just also not no yes yeah oh well
i'm i've i'd i'll you're you've you'd you'll he's she's we're we've we'd we'll they're they've they'd they'll
isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't
that's there's here's what's who's let's im ive dont didnt cant wont thats whats some any each both all more most
other such own same only again once ever even still because while until s t d ll re ve m hey hi hello ok okay
`;

/** Words that carry structure, not content. They are neither indexed nor searched for. */
export const ENGLISH_STOPWORDS: ReadonlySet<string> = new Set(
  WORDS.split(/\s+/).filter((word) => word !== ''),
);

/**
 * Words that questions and requests are made of. They are indexed, since an item may be about them, but a goal that
 * says anything else is not searched by them.
 */
export const ENGLISH_ASKING: ReadonlySet<string> = new Set(
  `tell say said mention mentioned describe described discuss discussed talk talked ask asked according know find
  list show give please many much kind type sort name called someone something anything thing things conversation
  question answer remember recall`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
