import { type EnvelopeInput, gatewayApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import { participantOf } from '../access.ts';
import { Refusal } from '../errors.ts';
import { operationOf } from '../mirror/branches.ts';
import { podOf } from './pod-of-call.ts';

export const send = defineAction(gatewayApi.podSend, {
  identifiers: [
    ...['id', 'kind', 'to', 'correlation_id', 'participant', 'pod'],
    ...['context.id', 'context.type', 'context.parent'],
  ],
  async run(input, context) {
    const pod = podOf(context, input);
    const { text, payload, kind, to, correlation_id } = input;
    // SUB-02: unguessable.
    const place = input.context && { ...input.context, id: input.context.id ?? randomId('ctx') };
    if ((text === undefined) === (payload === undefined)) {
      throw new InfoldError('invalid_arguments', 'Give either text or payload');
    }
    const participant = participantOf(context.caller, input.participant);
    const envelope: EnvelopeInput = {
      id: input.id ?? randomId('msg'),
      kind,
      ...(to ? { to } : {}),
      ...(correlation_id === undefined ? {} : { correlation_id }),
      ...(place ? { context: place } : {}),
      payload: payload ?? { text },
    };
    const { gateway } = context.parts;
    const { caller, database } = context;
    const message = { org: caller.org, pod, principal: caller.principal, envelope: envelope as never };
    // Counted as the branch's operation when it is written: counting the call too would count it twice.
    context.isCounted = operationOf(database, message, gateway.settings.mirrorBranches) !== undefined;
    const { seq } = await gateway.say(pod, caller, participant, envelope).catch((error: unknown) => {
      throw error instanceof Refusal ? errorOf(error) : error;
    });
    return { structured: { pod, id: envelope.id, ...(place ? { context: place.id } : {}), seq } };
  },
});

const ERRORS: Partial<Record<Refusal['code'], string>> = {
  capability_violation: 'capability_violation',
  duplicate_id: 'conflict',
  message_size: 'too_large',
  not_stored: 'not_stored',
  secret_identifier: 'secret_identifier',
  rate_limit: 'rate_limited',
};

/** What the gateway answers a participant with, as an error of a call. */
function errorOf({ code, message, details: told }: Refusal): InfoldError {
  const { retry_after, ...details } = told;
  return new InfoldError(ERRORS[code] ?? 'invalid_arguments', message, {
    retryable: code === 'rate_limit' || details.retryable === true,
    ...(typeof retry_after === 'number' ? { retryAfter: retry_after } : {}),
    details: { reason: code, ...details },
  });
}
