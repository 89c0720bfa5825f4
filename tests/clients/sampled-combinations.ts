import { sampleOfCases } from '../support/reduced-suite.ts'
import { upstreams, type UpstreamName } from './application-with-upstreams.ts'
import type { Client } from './client.ts'

export interface Cell {
  readonly client: Client
  readonly upstream: UpstreamName
}

/**
 * Selects the combinations of client and upstream that are tested. `npm run test:long` tests all combinations. In `npm
 * test`, each client and each upstream occurs at least once.
 */
export function sampledCells(clients: readonly Client[]): readonly Cell[] {
  const cells = clients.flatMap((client) => upstreams.map((upstream) => ({ client, upstream })))
  // Every n-th combination is tested. Each client has as many combinations as there are upstreams, so a smaller n skips
  // no client.
  return sampleOfCases(cells, upstreams.length - 1)
}
