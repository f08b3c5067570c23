import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scrub } from '@infold/scrub';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CommandLine } from '../packages/server/src/cli/command-line.ts';
import { addServing } from '../packages/server/src/cli/serve/commands.ts';
import { loadConfig } from '../packages/server/src/kernel/config.ts';
import { NEEDS_NATS, natsServer } from './support/nats.ts';

const folder = fileURLToPath(new URL('../examples/cluster/', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const work = mkdtempSync(join(tmpdir(), 'infold-cluster-example-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const NATS_PORTS = { client: 4222, cluster: 6222, monitor: 8222 };
const NATS = ['nats-0', 'nats-1', 'nats-2'];
const NODES = ['infold-0', 'infold-1', 'infold-2'];

interface ComposeService {
  command: string[];
  environment: Record<string, string>;
  volumes: string[];
  healthcheck: { test: string[] };
  ports?: string[];
  secrets?: string[];
  build?: { context: string; dockerfile: string };
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;

interface EnvironmentEntry {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: { fieldPath: string } };
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  args: string[];
  env: EnvironmentEntry[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  resources: { requests: Record<string, string> };
  volumeMounts: { name: string; mountPath: string }[];
}

interface Spec {
  replicas?: number;
  serviceName?: string;
  clusterIP?: string;
  maxUnavailable?: number;
  ports?: { port: number; targetPort: string }[];
  selector?: { app?: string; matchLabels?: { app: string } };
  template?: {
    metadata: { labels: { app: string } };
    spec: {
      containers: Container[];
      volumes: { name: string; secret?: { secretName: string; items: { key: string; path: string }[] } }[];
    };
  };
  volumeClaimTemplates?: { metadata: { name: string } }[];
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Spec;
  data?: Record<string, string>;
}

const documents = parseAllDocuments(read('kubernetes.yaml'));
const manifests = documents.map((document) => document.toJS() as Manifest);
const manifest = (kind: string, name: string): Manifest => {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0]!;
};
const containerOf = (name: string) => manifest('StatefulSet', name).spec.template!.spec.containers[0]!;

/** What `infold …` makes of these words: unknown flags and values that it does not take are errors. */
function parsedServe(words: readonly string[]): Record<string, unknown> {
  const line = new CommandLine();
  addServing(line);
  const serve = line.program.commands.find((command) => command.name() === 'serve')!;
  let options: Record<string, unknown> | undefined;
  serve.action(() => {
    options = serve.optsWithGlobals();
  });
  line.program.parse(words, { from: 'user' });
  expect(options, words.join(' ')).toBeDefined();
  return options!;
}

/** What the program reads from this environment: all of it must mean something to it. */
function natsOf(environment: Record<string, string>) {
  const { config, origins } = loadConfig({}, environment);
  const told = Object.values(origins).filter((origin) => origin === 'environment');
  expect(told).toHaveLength(Object.keys(environment).length);
  return { ...config.nats, hosts: config.allowedHosts };
}

const addresses = (names: readonly string[], ending = '') =>
  names.map((name) => `nats://${name}${ending}:${NATS_PORTS.client}`).join(',');

/** The word after this one. */
const wordAfter = (words: readonly string[], flag: string) => words[words.indexOf(flag) + 1];

const routesIn = (words: readonly string[]) => wordAfter(words, '--routes')!.split(',');

describe('the Compose file', () => {
  test('starts three NATS servers that know each other, each with files of its own', () => {
    expect(Object.keys(compose.services)).toEqual([...NATS, ...NODES]);
    for (const name of NATS) {
      const { command, volumes, healthcheck } = compose.services[name]!;
      expect(wordAfter(command, '--name')).toBe(name);
      const others = NATS.filter((other) => other !== name);
      expect(routesIn(command)).toEqual(others.map((other) => `nats://${other}:${NATS_PORTS.cluster}`));
      expect(volumes).toContain(`${name}:/data`);
      expect(healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${NATS_PORTS.monitor}/healthz`);
      const [file, place] = volumes.find((volume) => volume.startsWith('./'))!.split(':');
      expect(existsSync(join(folder, file!))).toBe(true);
      expect(wordAfter(command, '-c')).toBe(place);
    }
  });

  test('starts three nodes with flags that the program has, each with data of its own', () => {
    const published = NODES.map((name) => {
      const { command, volumes, healthcheck, ports } = compose.services[name]!;
      const { port, data, host, secure } = parsedServe(command);
      expect({ host, port, secure }).toEqual({
        host: '0.0.0.0',
        port: loadConfig({}, {}).config.port,
        secure: true,
      });
      expect(volumes).toEqual([`${name}:${data}`]);
      expect(healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`);
      const [address, outside, inside] = ports![0]!.split(':');
      expect([address, inside]).toEqual(['127.0.0.1', String(port)]);
      return outside;
    });
    expect(new Set(published).size).toBe(3);
  });

  test('tells the nodes where NATS is and where their key is', () => {
    for (const name of NODES) {
      const nats = natsOf(compose.services[name]!.environment);
      expect(nats).toMatchObject({ url: addresses(NATS), nkey: '/run/secrets/nats_seed', hosts: NODES });
    }
    expect(Object.keys(compose.secrets)).toEqual(['nats_seed']);
  });

  test('names only volumes, secrets and services that it has, and builds its image here', () => {
    expect(Object.keys(compose.volumes)).toEqual([...NATS, ...NODES]);
    for (const name of NODES) {
      const { secrets, build, depends_on: needed } = compose.services[name]!;
      expect(secrets).toEqual(Object.keys(compose.secrets));
      for (const other of Object.keys(needed!)) expect(compose.services[other], other).toBeDefined();
      expect(Object.values(needed!).every(({ condition }) => condition === 'service_healthy')).toBe(true);
      const context = join(folder, build!.context);
      expect(existsSync(join(context, 'package-lock.json'))).toBe(true);
      expect(join(context, build!.dockerfile)).toBe(join(folder, 'Dockerfile'));
    }
  });
});

describe('the Kubernetes manifest', () => {
  test('has what a cluster needs, twice', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(
      manifests.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`),
    ).toEqual([
      'v1 ConfigMap nats',
      'v1 Service nats',
      'apps/v1 StatefulSet nats',
      'policy/v1 PodDisruptionBudget nats',
      'networking.k8s.io/v1 NetworkPolicy nats',
      'v1 Service infold',
      'v1 Service infold-nodes',
      'apps/v1 StatefulSet infold',
      'policy/v1 PodDisruptionBudget infold',
    ]);
  });

  test.each(['nats', 'infold'])(
    'keeps three of %s, on volumes of their own, and takes one away at most',
    (name) => {
      const { replicas, serviceName, selector, template, volumeClaimTemplates } = manifest(
        'StatefulSet',
        name,
      ).spec;
      expect(replicas).toBe(3);
      expect(selector!.matchLabels).toEqual({ app: name });
      expect(template!.metadata.labels).toEqual({ app: name });
      const headless = manifest('Service', serviceName!).spec;
      expect(headless.clusterIP).toBe('None');
      expect(headless.selector).toEqual({ app: name });
      const budget = manifest('PodDisruptionBudget', name).spec;
      expect(budget).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: { app: name } } });

      const container = containerOf(name);
      expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
      const volumes = [...volumeClaimTemplates!.map(({ metadata }) => metadata), ...template!.spec.volumes];
      expect(container.volumeMounts.map((mount) => mount.name).sort()).toEqual(
        volumes.map((volume) => volume.name).sort(),
      );
      expect(container.volumeMounts.find((mount) => mount.name === 'data')?.mountPath).toBe('/data');
      expect(volumeClaimTemplates!.map(({ metadata }) => metadata.name)).toEqual(['data']);
    },
  );

  test('services lead to ports that containers have', () => {
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
      const { ports } = containerOf(spec.selector!.app!);
      for (const { port, targetPort } of spec.ports!) {
        expect(ports).toContainEqual({ name: targetPort, containerPort: port });
      }
    }
    const named = containerOf('nats').ports.map(({ name, containerPort }) => [name, containerPort]);
    expect(Object.fromEntries(named)).toEqual(NATS_PORTS);
  });

  test('serves with flags that the program has, and is asked whether it lives and whether it is ready', () => {
    const { args, ports, startupProbe, readinessProbe, livenessProbe } = containerOf('infold');
    const { port, data, host, secure } = parsedServe(args);
    expect({ host, port, data, secure }).toEqual({
      ...{ host: '0.0.0.0', port: loadConfig({}, {}).config.port },
      ...{ data: '/data', secure: true },
    });
    expect(ports).toEqual([{ name: 'http', containerPort: port }]);
    expect(startupProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    const nats = containerOf('nats');
    for (const { httpGet } of [nats.startupProbe, nats.readinessProbe, nats.livenessProbe]) {
      expect(httpGet).toEqual({ path: expect.stringMatching(/^\/healthz\?/), port: 'monitor' });
    }
  });

  test('starts NATS as the Compose file does, under the names that its pods have', () => {
    expect(manifest('ConfigMap', 'nats').data).toEqual({ 'nats.conf': read('nats.conf') });
    const { args } = containerOf('nats');
    expect(routesIn(args)).toEqual(NATS.map((name) => `nats://${name}.nats:${NATS_PORTS.cluster}`));
    expect(wordAfter(args, '--name')).toBe('$(POD_NAME)');
  });

  test('takes credentials from a secret that it only names', () => {
    const { env } = containerOf('nats');
    expect(env.find(({ name }) => name === 'INFOLD_NKEY')?.valueFrom?.secretKeyRef).toEqual({
      ...{ name: 'infold-nats', key: 'public' },
    });
    const { volumes } = manifest('StatefulSet', 'infold').spec.template!.spec;
    const { name, secret } = volumes.find((volume) => volume.secret)!;
    expect(secret!.secretName).toBe('infold-nats');
    const node = containerOf('infold');
    const { url, nkey } = natsOf(Object.fromEntries(node.env.map((entry) => [entry.name, entry.value!])));
    expect(url).toBe(addresses(NATS, '.nats'));
    const place = node.volumeMounts.find((mount) => mount.name === name)!.mountPath;
    expect(nkey).toBe(`${place}/${secret!.items[0]!.path}`);
  });
});

describe('the image', () => {
  test('serves what both files serve', () => {
    const dockerfile = read('Dockerfile');
    const words = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)![1]!) as string[];
    expect(words).toEqual(compose.services['infold-0']!.command);
    expect(words).toEqual(containerOf('infold').args);
    expect(dockerfile).toContain(`EXPOSE ${parsedServe(words).port}\n`);
    expect(dockerfile).toMatch(/^VOLUME \/data$/m);
    const [, program] = /ln -s \/opt\/infold\/(\S+)/.exec(dockerfile)!;
    expect(existsSync(join(folder, '../..', program!))).toBe(true);
  });
});

describe('credentials', () => {
  const names = ['compose.yaml', 'kubernetes.yaml', 'nats.conf', 'Dockerfile', 'README.md'];

  test.each(names)('%s has none', (name) => {
    const text = read(name);
    expect(scrub(text).kinds).toEqual([]);
    expect(text).not.toMatch(/\b[SUA][A-Z2-7]{50,}\b/);
    expect(text).not.toMatch(/:\/\/[^\s/]*@/);
  });

  const seed = join(work, 'secrets/nats.seed');
  const shown = join(work, 'secrets/nats.public');
  const make = () =>
    execFileSync(process.execPath, [join(folder, 'make-key.mjs'), '--folder', work], { stdio: 'pipe' });
  beforeAll(make);

  test('are made once, and kept from others', () => {
    const made = readFileSync(seed, 'utf8');
    expect(made).toMatch(/^SU[A-Z2-7]{56}$/);
    expect(readFileSync(join(work, '.env'), 'utf8')).toBe(`INFOLD_NKEY=${readFileSync(shown, 'utf8')}\n`);
    expect(statSync(join(work, 'secrets')).mode & 0o077).toBe(0);
    expect(make).toThrow('EEXIST');
    expect(readFileSync(seed, 'utf8')).toBe(made);
  });

  test.skipIf(natsServer === undefined)(`are what the servers take ${NEEDS_NATS}`, () => {
    const run = (words: string[], key: string) =>
      execFileSync(natsServer!, words, { env: { ...process.env, INFOLD_NKEY: key }, stdio: 'pipe' });
    // Older servers do not know this line.
    const isOld = /v2\.\d\./.test(String(run(['--version'], '')));
    const config = join(work, 'nats.conf');
    writeFileSync(config, isOld ? read('nats.conf').replace(/^.*sync_interval.*$/m, '') : read('nats.conf'));
    const check = (key: string) => run([...compose.services['nats-0']!.command, '-c', config, '-t'], key);
    expect(() => check(readFileSync(shown, 'utf8'))).not.toThrow();
    expect(() => check(readFileSync(seed, 'utf8'))).toThrow('Not a valid public nkey');
  });
});
