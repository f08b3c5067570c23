import { config } from 'zod/v4/core';

// The page's policy forbids making functions of text, and the browser complains about whoever tries. Imported before the
// schemas of the protocol: they try when they are made.
config({ jitless: true });
