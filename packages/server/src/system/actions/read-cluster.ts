import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';

export const readCluster = defineAction(systemApi.readCluster, {
  async run(_input, { journal }) {
    if (!journal.cluster) throw new InfoldError('not_found', 'This server is not a node of a cluster');
    const { readClusterStatus } = await import('../../journal/cluster/status.ts');
    return { structured: await readClusterStatus(journal.cluster.connection) };
  },
});
