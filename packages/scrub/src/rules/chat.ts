import type { RuleFamily } from '../detect/types.ts';
import { alnum, hex, lower, uuid, word } from './alphabet.ts';

/**
 * A bot's token opens with its numeric id in base64, so its first four characters are one of nine hundred.
 * All are listed: three characters would be met inside ordinary words thousands of times a megabyte.
 */
const DISCORD_ID = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'].flatMap((pair) =>
  [...'AEIMQUYcgk'].flatMap((third) => [...'wxyz012345'].map((fourth) => pair + third + fourth)),
);

/** Messengers, telephony, push. */
export const chat: RuleFamily = {
  tokens: [
    {
      kind: 'slack-token',
      keywords: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxo-', 'xoxs-', 'xoxc-', 'xoxe-'],
      pattern: `(?:\\d-)?(?:\\d{5,16}-){1,4}${alnum}{8,90}`,
      entropy: 1.5,
      right: 'strict',
    },
    {
      kind: 'slack-token',
      keywords: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'],
      pattern: `(?:\\d-)?${alnum}{24,300}`,
      entropy: 3.5,
      random: 24,
    },
    {
      kind: 'slack-token',
      keywords: ['xoxe.xoxb-', 'xoxe.xoxp-', 'xoxe-'],
      pattern: `\\d-${alnum}{100,300}`,
      ignoreCase: true,
    },
    { kind: 'slack-cookie', keywords: ['xoxd-'], pattern: '[A-Za-z0-9%+/-]{40,400}={0,2}' },
    {
      kind: 'slack-app-token',
      keywords: ['xapp-', 'xwfp-'],
      pattern: `(?:\\d-)?[A-Z0-9]{8,14}-\\d{8,16}-${alnum}{16,100}`,
      ignoreCase: true,
    },
    {
      kind: 'slack-webhook',
      keywords: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'hooks.slack.com/triggers/'],
      pattern: '([A-Za-z0-9+/_-]{24,120})',
      group: 1,
      left: 'none',
      entropy: 2.8,
    },
    {
      kind: 'discord-webhook',
      keywords: [
        'discord.com/api/webhooks/',
        'discordapp.com/api/webhooks/',
        'discord.com/api/v10/webhooks/',
      ],
      pattern: `(\\d{15,22}/${word}{50,110})`,
      group: 1,
      left: 'none',
    },
    {
      kind: 'discord-token',
      keywords: DISCORD_ID,
      pattern: `${word}{18,24}\\.${word}{6}\\.${word}{27,40}`,
      left: 'strict',
      right: 'strict',
      entropy: 3.5,
    },
    { kind: 'discord-token', keywords: ['mfa.'], pattern: `${word}{80,90}`, left: 'strict' },
    {
      kind: 'telegram-token',
      keywords: [':AA'],
      pattern: `${word}{33}`,
      lead: { characters: '\\d', least: 8, most: 16 },
      left: 'none',
      right: 'strict',
      entropy: 3,
    },
    {
      kind: 'teams-webhook',
      keywords: ['.webhook.office.com/webhookb2/', 'outlook.office.com/webhook/'],
      pattern: '([A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}/IncomingWebhook/[A-Za-z0-9]{32}/[A-Za-z0-9-]{36})',
      group: 1,
      left: 'none',
    },
    {
      kind: 'google-chat-webhook',
      keywords: ['chat.googleapis.com/v1/spaces/'],
      pattern: '([\\w-]{5,30}/messages\\?key=[\\w-]{20,60}(?:&|\\\\u0026|%26)token=[\\w%-]{20,80})',
      group: 1,
      left: 'none',
    },
    {
      kind: 'twilio-key',
      keywords: [...'0123456789abcdef'].map((digit) => `SK${digit}`),
      pattern: `${hex}{31}`,
      entropy: 2.8,
    },
    { kind: 'matrix-token', keywords: ['syt_'], pattern: '[A-Za-z0-9]{1,80}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}' },
    {
      kind: 'telnyx-key',
      keywords: ['KEY01', 'KEY0'],
      pattern: '[0-9A-F]{30,31}_[A-Za-z0-9]{20,24}',
      left: 'strict',
    },
    { kind: 'onesignal-key', keywords: ['os_v2_app_', 'os_v2_org_'], pattern: `${lower}{60,120}` },
    { kind: 'ntfy-token', keywords: ['tk_'], pattern: `${lower}{29}`, random: 24 },
    {
      kind: 'zoom-webhook',
      keywords: ['hooks.zoom.us/hooks/', 'inbots.zoom.us/incoming/hook/'],
      pattern: '([\\w/?=&-]{20,200})',
      group: 1,
      left: 'none',
    },
    {
      kind: 'lark-webhook',
      keywords: ['open.feishu.cn/open-apis/bot/v2/hook/', 'open.larksuite.com/open-apis/bot/v2/hook/'],
      pattern: `(${uuid})`,
      group: 1,
      left: 'none',
    },
    {
      kind: 'wecom-webhook',
      keywords: ['qyapi.weixin.qq.com/cgi-bin/webhook/send?key='],
      pattern: `(${uuid})`,
      group: 1,
      left: 'none',
    },
    {
      kind: 'dingtalk-webhook',
      keywords: ['oapi.dingtalk.com/robot/send?access_token='],
      pattern: `(${hex}{64})`,
      group: 1,
      left: 'none',
    },
    {
      kind: 'zapier-webhook',
      keywords: ['hooks.zapier.com/hooks/catch/'],
      pattern: '(\\d{4,12}/[a-z0-9]{5,12})',
      group: 1,
      left: 'none',
    },
    {
      kind: 'ifttt-webhook',
      keywords: ['maker.ifttt.com/trigger/'],
      pattern: '[\\w-]{1,60}/(?:json/)?with/key/([\\w-]{20,60})',
      group: 1,
      left: 'none',
    },
    { kind: 'messagebird-key', keywords: ['live_'], pattern: `${alnum}{25}`, left: 'strict', random: 25 },
  ],
  contexts: [
    {
      kind: 'telegram-token',
      names: ['telegram', 'telegr', 'tg_bot', 'tgbot'],
      value: `\\d{5,16}:A${word}{34}`,
    },
    {
      kind: 'discord-token',
      names: [
        'discord',
        'bot_token',
        'bottoken',
        'bot token',
        'client.login',
        'bot.run',
        'authorization: bot',
      ],
      value: `[MNO]${word}{22,28}\\.${word}{6}\\.${word}{27,40}`,
    },
    { kind: 'discord-secret', names: ['discord'], value: `(?:${word}{32}|${hex}{64})`, entropy: 3.2 },
    { kind: 'twilio-token', names: ['twilio'], value: `${hex}{32}` },
    { kind: 'mattermost-token', names: ['mattermost'], value: `${lower}{26}` },
    {
      kind: 'webex-token',
      names: ['webex', 'ciscospark'],
      value: `(?:${word}{64}(?:_[\\w-]{4,80})?|${hex}{64})`,
    },
    {
      kind: 'messagebird-key',
      names: ['messagebird', 'message-bird', 'message_bird'],
      value: `(?:${lower}{25}|${uuid})`,
    },
    {
      kind: 'vonage-secret',
      names: ['vonage', 'nexmo'],
      value: `(?:${alnum}{16}|${hex}{8})`,
      entropy: 2.4,
      random: 8,
    },
    {
      kind: 'plivo-token',
      names: ['plivo', 'sinch', 'bandwidth', 'telnyx'],
      value: `(?:${alnum}{40}|${word}{32,60})`,
      entropy: 3.2,
    },
    { kind: 'pushbullet-token', names: ['pushbullet'], value: `o\\.${alnum}{32}` },
    { kind: 'pushover-key', names: ['pushover'], value: `${alnum}{30}`, entropy: 3.2 },
    { kind: 'gitter-token', names: ['gitter'], value: `${lower}{40}` },
    { kind: 'sendbird-token', names: ['sendbird'], value: `(?:${hex}{40}|${uuid})` },
    { kind: 'rocketchat-token', names: ['rocketchat', 'rocket_chat', 'rocket-chat'], value: `${word}{43}` },
    {
      kind: 'line-token',
      names: ['line_channel', 'line_notify', 'line_access', 'linebot'],
      value: `(?:${hex}{32}|${alnum}{43}|[A-Za-z0-9+/=]{140,200})`,
    },
    { kind: 'zulip-key', names: ['zulip'], value: `${alnum}{32}` },
    { kind: 'onesignal-key', names: ['onesignal'], value: `(?:${alnum}{48}|${uuid})` },
    { kind: 'zoom-secret', names: ['zoom_'], value: `${word}{22,36}`, entropy: 3.3 },
    {
      kind: 'pusher-secret',
      names: ['pusher', 'ably', 'pubnub'],
      value: `(?:${hex}{20}|[\\w-]{6,9}\\.[\\w-]{6,9}:[\\w-]{16,50}|sec-c-[A-Za-z0-9-]{40,60})`,
    },
  ],
};
