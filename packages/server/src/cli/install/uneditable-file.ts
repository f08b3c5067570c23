/** Why a file is left as it is. The sentence goes on after the file's name: "~/.x.json is read-only". */
export class UneditableFile extends Error {}
