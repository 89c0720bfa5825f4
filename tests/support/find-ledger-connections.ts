import pg from 'pg'

/** Returns the connections that have sent the statement `lock`, which are the connections of the ledger. */
export function ledgerConnections(): ReadonlySet<pg.Client> {
  const clients = new Set<pg.Client>()
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the client below
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [asked] = parameters
    if (typeof asked === 'object' && asked !== null && 'name' in asked && asked.name === 'lock')
      clients.add(this)
    return Reflect.apply(query, this, parameters)
  } as typeof pg.Client.prototype.query
  return clients
}
