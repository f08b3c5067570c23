import type { RuleFamily } from '../types.ts';
import { alnum, base64, hex, lower, uuid, word } from './alphabet.ts';

/** Databases, search and queues as a service. */
export const database: RuleFamily = {
  tokens: [
    { kind: 'databricks-token', keywords: ['dapi', 'dkea', 'dsapi', 'dose'], pattern: '[A-Fa-f0-9]{32}(?:-\\d)?', left: 'strict', right: 'strict', entropy: 3 },
    { kind: 'supabase-token', keywords: ['sbp_', 'sbp_oauth_', 'sbp_v0_'], pattern: `${hex}{40}` },
    { kind: 'supabase-key', keywords: ['sb_secret_', 'sb_publishable_'], pattern: `${word}{22,60}` },
    { kind: 'planetscale-token', keywords: ['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_', 'pscale_otkn_'], pattern: '[A-Za-z0-9_.=-]{32,64}' },
    { kind: 'neon-key', keywords: ['napi_'], pattern: `${lower}{40,80}` },
    { kind: 'neon-password', keywords: ['npg_'], pattern: `${alnum}{12,20}`, entropy: 2.6, random: 12 },
    { kind: 'xata-key', keywords: ['xau_'], pattern: `${alnum}{30,44}` },
    { kind: 'fauna-key', keywords: ['fnA'], pattern: `${word}{37,53}`, left: 'strict', right: 'strict', random: 36 },
    { kind: 'cockroach-key', keywords: ['CCDB1_'], pattern: `${alnum}{22}_${alnum}{40}` },
    { kind: 'mongodb-atlas-secret', keywords: ['mdb_sa_sk_'], pattern: `${word}{36,60}` },
    { kind: 'mongodb-atlas-key', keywords: ['mdb_sa_id_'], pattern: `${hex}{24}` },
    { kind: 'aiven-password', keywords: ['AVNS_'], pattern: `${word}{15,40}` },
    { kind: 'aiven-token', keywords: ['aivenv1'], pattern: '[A-Za-z0-9+/=]{60,400}' },
    { kind: 'elastic-cloud-key', keywords: ['essu_'], pattern: '[A-Za-z0-9+/]{40,200}={0,2}' },
    { kind: 'pinecone-key', keywords: ['pcsk_'], pattern: '[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,70}' },
    { kind: 'astra-token', keywords: ['AstraCS:'], pattern: `[A-Za-z]{24}:${hex}{64}` },
    { kind: 'appwrite-key', keywords: ['standard_'], pattern: `${hex}{100,400}` },
    { kind: 'confluent-secret', keywords: ['cflt'], pattern: '[A-Za-z0-9+/]{58,64}', left: 'blob', right: 'blob', random: 50 },
    { kind: 'clickhouse-cloud-secret', keywords: ['4b1d'], pattern: `${alnum}{38}`, left: 'blob', right: 'blob', entropy: 4 },
    { kind: 'tinybird-token', keywords: ['p.eyJ'], pattern: `${word}{40,200}\\.${word}{20,80}`, left: 'strict' },
    { kind: 'prisma-key', keywords: ['prisma+postgres://accelerate.prisma-data.net/?api_key=', 'prisma://accelerate.prisma-data.net/?api_key='], pattern: '([A-Za-z0-9_.-]{40,600})', group: 1, left: 'none' },
    { kind: 'convex-key', keywords: ['prod:', 'preview:', 'dev:'], pattern: '[a-z]{3,16}-[a-z]{3,16}-\\d{2,4}\\|[A-Za-z0-9=_-]{40,300}', left: 'strict' },
    { kind: 'edgedb-key', keywords: ['edbt_', 'edbt1_', 'nbwt1_', 'nbwt_'], pattern: '[A-Za-z0-9_.-]{40,400}' },
  ],
  contexts: [
    { kind: 'algolia-key', names: ['algolia'], value: `${hex}{32}` },
    { kind: 'mongodb-atlas-key', names: ['atlas', 'mongodb'], value: uuid },
    { kind: 'redis-cloud-key', names: ['redis', 'upstash', 'momento'], value: `(?:${alnum}{32,64}|[A-Za-z0-9+/]{40,80}={0,2}|${uuid})`, entropy: 3.4 },
    { kind: 'confluent-key', names: ['confluent', 'kafka'], value: `(?:[A-Z0-9]{16}|${base64}{64})`, entropy: 3 },
    { kind: 'influxdb-token', names: ['influx'], value: '[A-Za-z0-9_-]{86}==' },
    { kind: 'search-key', names: ['typesense', 'meili', 'qdrant', 'weaviate', 'milvus', 'zilliz', 'elasticsearch', 'opensearch'], value: `(?:${uuid}|${word}{32,90})`, entropy: 3.2 },
    { kind: 'snowflake-password', names: ['snowflake'], value: '[A-Za-z0-9!@#$%^&*_+=.-]{12,64}', entropy: 3.3 },
    { kind: 'fauna-key', names: ['fauna'], value: `fn${word}{38}` },
    { kind: 'clickhouse-key', names: ['clickhouse'], value: `${alnum}{20,42}`, entropy: 3.4 },
    { kind: 'turso-token', names: ['turso', 'libsql'], value: 'eyJ[A-Za-z0-9_.-]{60,600}' },
    { kind: 'cloudamqp-key', names: ['cloudamqp', 'rabbitmq', 'cloudkarafka'], value: `(?:${uuid}|${word}{32})`, entropy: 3.2 },
  ],
};
