import { sampleOfCases } from '../support/reduced-suite.ts'
import { upstreams, type UpstreamName } from './start-application-with-upstreams.ts'
import type { Client } from './client-interface.ts'

export interface Cell {
  readonly client: Client
  readonly upstream: UpstreamName
}

/**
 * `npm run test:long` tests every combination of client and upstream. In `npm test`, each client and each upstream
 * occurs at least once.
 */
export function sampledCells(clients: readonly Client[]): readonly Cell[] {
  const cells = clients.flatMap((client) => upstreams.map((upstream) => ({ client, upstream })))
  // The step is smaller than the number of upstreams, so that no client is skipped.
  return sampleOfCases(cells, upstreams.length - 1)
}
