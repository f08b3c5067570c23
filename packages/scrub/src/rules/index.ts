import type { RuleFamily } from '../detect/types.ts';
import { address } from './address.ts';
import { ai } from './ai.ts';
import { auth } from './auth.ts';
import { call } from './call.ts';
import { chat } from './chat.ts';
import { ci } from './ci.ts';
import { cloud } from './cloud.ts';
import { command } from './command.ts';
import { database } from './database.ts';
import { mail } from './mail.ts';
import { monitoring } from './monitoring.ts';
import { payment } from './payment.ts';
import { productivity } from './productivity.ts';
import { registry } from './registry.ts';
import { sourceHosting } from './source-hosting.ts';
import { wallet } from './wallet.ts';

export const families: readonly RuleFamily[] = [
  cloud,
  sourceHosting,
  ci,
  chat,
  payment,
  mail,
  monitoring,
  database,
  registry,
  ai,
  auth,
  productivity,
  command,
  address,
  call,
  wallet,
];
