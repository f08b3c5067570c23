/** What a workspace begins with: the meta prompt, and with `infold init` a few files to learn from. */

export const DEFAULT_META_PROMPT = `# How to work with this library

This project keeps its rules, workflows and background material in a library. Use it in every task:

1. **Discover** what exists with \`memory.discover\`. Ask by kind, by group or in words.
2. **Load** only what the task needs with \`memory.load\`. Pass the hashes you already know, so that nothing is sent twice.
3. **Apply** what you loaded while you work.
4. **Refer**: before you finish, tell with \`memory.refer\` which constraints shaped the work. Copy their ids; never make one up.
5. **Refine**: when a rule is wrong, missing or out of date, propose a change with \`draft\`. A person reviews it.
6. **Submit** a short summary with \`memory.submit\`. If the result does not follow the rules, close with \`memory.reject\`.

When instructions disagree: loaded rules > this meta-prompt > your defaults.
`;

const NAMING = `---
description: How to name things so that a newcomer can guess what they are
---
# Naming

## Names

- Use whole words of the domain. Shorten only what everybody shortens.
- The same thing has the same name everywhere: in code, on the wire, in the user interface.
- A name says what a thing is for, not how it is made.

## Files

- A file is named after the one thing that it holds.
- Tests stand beside what they test.
`;

const CHANGES = `---
description: What a change must bring with it before it is done
---
# Changes

## Before you begin

Find out how the part that you will change is used, and whether a test describes it.

## Done means

1. The behaviour is covered by a test that fails without the change.
2. Errors tell the caller what was wrong and what would be right.
3. The documentation says what is true now.
`;

const REVIEW = `---
description: Look over a change before it is handed in
---
# Review a change

## Steps

1. Read the whole difference once, without judging.
2. Load the rules of the folders that it touches.
3. Name each place that does not follow a rule, with the rule's constraint.
4. Propose the smallest correction for each of them.
`;

/** Paths and contents, in our own words. */
export const BOOTSTRAP_FILES: readonly { path: string; text: string }[] = [
  { path: 'META_PROMPT.md', text: DEFAULT_META_PROMPT },
  { path: 'coding/NAMING.md', text: NAMING },
  { path: 'coding/CHANGES.md', text: CHANGES },
  { path: 'workflow/REVIEW.md', text: REVIEW },
];
