import type { Check } from './finding-types.ts'

/** If a node is unavailable, requests of the node's end users fail. */
export const nodes: Check = {
  name: 'nodes',
  looksAt: 'Whether each node of a distributed database responds. Other databases have no nodes.',
  run: async ({ store }) =>
    (await store.diagnosis.nodesAway()).map((node) => ({
      code: 'node_unavailable',
      severity: 'error',
      resource: { type: 'server', id: node },
      message: `The node ${node} of the database does not respond. Requests of its end users return 503.`,
      fix: { say: 'Start the node, and check that the coordinator can connect to it.', call: null },
    })),
}
