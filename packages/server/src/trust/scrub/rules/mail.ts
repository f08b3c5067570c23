import type { RuleFamily } from '../types.ts';
import { alnum, base64, hex, lower, uuid, word } from './alphabet.ts';

/** Sending mail and marketing. */
export const mail: RuleFamily = {
  tokens: [
    { kind: 'sendgrid-key', keywords: ['SG.'], pattern: `${word}{16,32}\\.${word}{16,64}`, entropy: 3 },
    { kind: 'mailgun-key', keywords: ['key-'], pattern: `${hex}{32}`, left: 'strict' },
    { kind: 'mailgun-key', keywords: ['pubkey-'], pattern: `${hex}{32}`, left: 'strict' },
    { kind: 'mailchimp-key', keywords: ['-us'], pattern: '\\d{1,2}', lead: { characters: hex, least: 32, most: 32 }, left: 'none', entropy: 0 },
    { kind: 'mandrill-key', keywords: ['md-'], pattern: `${word}{22}`, left: 'strict', right: 'strict', random: 20 },
    { kind: 'brevo-key', keywords: ['xkeysib-', 'xsmtpsib-'], pattern: `${hex}{64}-${alnum}{16}` },
    { kind: 'resend-key', keywords: ['re_'], pattern: `${alnum}{8}_${alnum}{20,32}`, left: 'strict', random: 24 },
    { kind: 'mailersend-key', keywords: ['mlsn.'], pattern: `${hex}{64}` },
    { kind: 'klaviyo-key', keywords: ['pk_'], pattern: `${hex}{34}` },
    { kind: 'convertkit-key', keywords: ['kit_'], pattern: `${alnum}{32,48}`, random: 30 },
    { kind: 'courier-key', keywords: ['pk_prod_', 'pk_test_', 'dk_prod_', 'dk_test_'], pattern: '[A-Z0-9]{28}' },
    { kind: 'smtp2go-key', keywords: ['api-'], pattern: '[A-F0-9]{32}', left: 'strict' },
    { kind: 'hubspot-token', keywords: ['pat-na1-', 'pat-na2-', 'pat-eu1-', 'pat-ap1-'], pattern: uuid },
  ],
  contexts: [
    { kind: 'mailgun-key', names: ['mailgun'], value: `(?:key-)?${hex}{32}(?:-${hex}{8}-${hex}{8})?` },
    { kind: 'mailchimp-key', names: ['mailchimp'], value: `${hex}{32}` },
    { kind: 'postmark-token', names: ['postmark'], value: uuid },
    { kind: 'sparkpost-key', names: ['sparkpost'], value: `${hex}{40}` },
    { kind: 'mailjet-key', names: ['mailjet'], value: `${hex}{32}` },
    { kind: 'aws-ses-password', names: ['ses_smtp', 'smtp_pass', 'smtp-pass', 'email_host_password'], value: `B${base64}{43}` },
    { kind: 'hubspot-key', names: ['hubspot', 'hapi'], value: uuid },
    { kind: 'customerio-key', names: ['customerio', 'customer_io', 'customer.io', 'iterable', 'braze', 'activecampaign', 'active_campaign', 'sendpulse', 'elasticemail', 'elastic_email', 'moosend', 'omnisend', 'drip'], value: `(?:${hex}{20,96}|${uuid}|[A-F0-9]{96}|${alnum}{32,64})`, entropy: 3 },
    { kind: 'intercom-token', names: ['intercom'], value: `(?:dG9rOj${base64}{50}={0,2}|[A-Za-z0-9=_-]{60})` },
    { kind: 'zendesk-key', names: ['zendesk'], value: `${alnum}{40}` },
    { kind: 'freshdesk-key', names: ['freshdesk', 'freshservice', 'freshchat', 'freshworks', 'freshbooks'], value: `(?:${alnum}{18,20}|${hex}{64})`, entropy: 3 },
    { kind: 'beamer-key', names: ['beamer'], value: 'b_[a-z0-9=_-]{44}' },
    { kind: 'constant-contact-key', names: ['constantcontact', 'constant_contact', 'campaignmonitor', 'campaign_monitor', 'aweber', 'getresponse', 'mailerlite'], value: `(?:${alnum}{24,80}|${uuid}|${lower}{32})`, entropy: 3 },
  ],
};
