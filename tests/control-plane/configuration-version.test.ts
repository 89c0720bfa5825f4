/**
 * Every change of an application's compiled configuration raises its version, and each reserve operation checks this
 * version. Every operation that writes is tested, each with a separate store.
 */
import {
  type DeleteQueryNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
} from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import type { Database } from '#store/sql/database-interface.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import { openFilled, sampleOf, send, type Filled } from '../support/valid-request-of-every-operation.ts'

/** A change of such a table makes the compiled configuration of all these applications stale. */
const shared = new Set(['provider_accounts', 'account_prices', 'daily_limits'])

let control: Control
let ids: Filled
let written: Set<string>
beforeEach(async () => {
  written = new Set()
  ;({ control, ids } = await openFilled({
    seenStore: (store) => ({
      ...store,
      transaction: (work) =>
        sqlStore(watched(control.database, (table, isWrite) => isWrite && written.add(table))).transaction(
          work,
        ),
    }),
  }))
})
afterEach(() => control.close())

/** Excludes the application's own row. */
async function configurationTables(): Promise<Set<string>> {
  const read = new Set<string>()
  const application = await control.store.read.applications.bySlug('acme')
  const directory = sqlDirectory(watched(control.database, (table) => read.add(table)))
  // When the directory is created, it compiles its query for keys, which is not part of the configuration.
  read.clear()
  await directory.config(application?.id ?? '')
  read.delete('applications')
  return read
}

/** The keys are slugs. */
async function compiled(): Promise<
  Map<string, { readonly version: number; readonly content: object | null }>
> {
  const directory = sqlDirectory(control.database, () => control.clock.nowMs)
  const applications = await directory.applications()
  return new Map(
    await Promise.all(
      applications.map(async ({ applicationId, slug }) => {
        const snapshot = await directory.config(applicationId)
        return [
          slug,
          { version: snapshot?.version ?? 0, content: snapshot && { ...snapshot, version: 0 } },
        ] as const
      }),
    ),
  )
}

describe('the version of a configuration', () => {
  const writers = new Map<string, string>()

  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    it(`${operation.id} raises the version if and only if it changes the compiled configuration`, async () => {
      await control.call('PUT', '/v1/apps/sibling', { body: { name: 'Sibling' } })
      await control.call('PUT', '/v1/apps/stranger', {
        token: await control.found('Strangers'),
        body: { name: 'Stranger' },
      })
      const tables = await configurationTables()
      const before = await compiled()
      written.clear()
      const answer = await send(control, operation, sampleOf(operation, ids), { app: 'acme' })
      expect(answer.status, answer.text).toBe(200)

      const changed = [...written].filter((table) => tables.has(table))
      for (const table of changed) writers.set(table, operation.id)
      const isShared = changed.some((table) => shared.has(table))
      for (const [slug, { content, version }] of await compiled()) {
        const old = before.get(slug)
        // A new application has no earlier configuration.
        if (old === undefined) continue
        const isRaised = version > old.version
        const mustRaise = slug === 'acme' ? changed.length > 0 : slug === 'sibling' && isShared
        if (mustRaise) expect(isRaised, `${operation.id} wrote ${changed.join(', ')} of ${slug}`).toBe(true)
        // A change of the application's own row may raise the version, too, because the row records whether the
        // application is archived.
        else if (!isRaised)
          expect(content, `the configuration of ${slug} under the version that it had`).toEqual(old.content)
        if (slug === 'stranger') expect(isRaised).toBe(false)
      }
    })
  }

  it('each table from which configuration is compiled is written by some operation', async () => {
    expect([...writers.keys()].toSorted()).toEqual([...(await configurationTables())].toSorted())
  })
})

function watched(database: Database, seen: (table: string, isWrite: boolean) => unknown): Database {
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      const isWrite = node.kind !== 'SelectQueryNode'
      for (const table of tablesOf(node)) seen(table, isWrite)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    ...database,
    read: database.read.withPlugin(plugin),
    readFor: (reader) => database.readFor(reader).withPlugin(plugin),
    transaction: (work) => database.transaction((tx) => work(tx.withPlugin(plugin))),
    isEnvironmental: (error) => database.isEnvironmental(error),
  }
}

function tablesOf(node: OperationNode): string[] {
  const named = (one: OperationNode | undefined): string[] =>
    one && TableNode.is(one) ? [one.table.identifier.name] : []
  switch (node.kind) {
    case 'InsertQueryNode':
      return named((node as InsertQueryNode).into)
    case 'UpdateQueryNode':
      return named((node as UpdateQueryNode).table)
    case 'DeleteQueryNode':
      return (node as DeleteQueryNode).from.froms.flatMap(named)
    case 'SelectQueryNode': {
      const { from, joins = [] } = node as SelectQueryNode
      return [...(from?.froms ?? []), ...joins.map(({ table }) => table)].flatMap(named)
    }
    default:
      return []
  }
}
