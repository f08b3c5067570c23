import { LIMITS } from '../../packages/protocol/dist/index.js';
import { Gateway } from '../../packages/server/dist/gateway/gateway.js';
import { parseGatewaySettings } from '../../packages/server/dist/gateway/settings.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { benchmark, interleave } from '../harness.mjs';
import { startServices } from '../support/agent.mjs';
import { envelope } from './pods.mjs';

/** Envelopes that a replay reads, marks and frames, in process, against reading the bare rows they stand in. */
export default benchmark({
  target: 'at least 50,000 envelopes/s',
  async run({ quick }) {
    const count = quick ? 5000 : 50_000;
    const services = await startServices();
    const { database } = services.journal;
    const gateway = new Gateway({
      ...services,
      limits: { ...LIMITS, replayEnvelopes: count },
      settings: parseGatewaySettings({}),
      serves: true,
      onError: (error) => {
        throw error;
      },
    });
    /** @type {(() => void) | undefined} */
    let ended;
    const wire = {
      buffered: 0,
      sent: 0,
      /** @param {{ text: string }} frame */
      send(frame) {
        wire.sent++;
        if (frame.text.includes('"system/replay"')) ended?.();
      },
      drained: () => Promise.resolve(),
      close() {},
    };
    const filter = /** @type {const} */ ({ contexts: 'all' });
    const join = {
      caller: localOwner,
      participant: 'sender',
      wire,
      filter,
      since: undefined,
      epoch: undefined,
    };
    const { pod, member } = gateway.join('pod', join);
    for (let sent = 0; sent < count; sent++) {
      pod.receive(member, Buffer.from(envelope()), false);
      if (sent % 2000 === 0) await gateway.flushed();
    }
    await gateway.flushed();
    let asked = 0;
    const replay = async () => {
      const started = performance.now();
      const done = new Promise((resolve) => {
        ended = () => resolve(undefined);
      });
      wire.sent = 0;
      const request = { id: `replay-${++asked}`, kind: 'gateway/replay', payload: {} };
      pod.receive(member, Buffer.from(JSON.stringify(request)), false);
      await done;
      if (wire.sent < count) throw new Error(`Only ${wire.sent} of ${count} came`);
      return (count * 1000) / (performance.now() - started);
    };
    const bare = () => {
      const started = performance.now();
      let bytes = 0;
      // What was stored together lies beside the file where it is large.
      for (const { data, blob } of database.iterate('SELECT data, blob FROM journal_entry ORDER BY seq')) {
        bytes += String(data ?? services.journal.blobs.read(String(blob))).length;
      }
      if (bytes < count * 1024) throw new Error('The rows are not all there');
      return (count * 1000) / (performance.now() - started);
    };
    const samples = await interleave({ rounds: quick ? 2 : 5, ours: replay, floor: bare });
    await gateway.close();
    await services.journal.close();
    return [
      {
        what: 'replay of 1,024-byte envelopes, read and framed, in process',
        unit: 'envelopes/s',
        against: 'reading the bare rows',
        ...samples,
        limit: { atLeast: 50_000 },
      },
    ];
  },
});
