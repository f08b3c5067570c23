/** Words for one another, as people use them; forms (bought, children) are the stemmer's affair. */
export interface Thesaurus {
  /** Words of one meaning, apart by spaces; groups are apart by a bar or a line. A word may stand in several groups. */
  groups: string;
  /** General words, a colon, and what they cover: "pets" finds a dog, but not the other way round. A line each. */
  classes: string;
}
