import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Database } from '#store/sql/database-interface.ts'
import { SqliteError } from '#store/sqlite/classify-sqlite-errors.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { openControl } from '../support/control-plane-without-socket.ts'

function broken(error: Error): () => Promise<never> {
  return async () => {
    throw error
  }
}

describe('the control plane', () => {
  it('threat 13: an unavailable store returns 503 instead of the error for an invalid token', async () => {
    const control = await openControl({
      seenStore: (store) => ({
        ...store,
        read: {
          ...store.read,
          tokens: { ...store.read.tokens, byHash: broken(new Error('/data: disk I/O error')) },
        },
      }),
    })
    const answer = await control.call('GET', '/v1/whoami')
    expect([answer.status, answer.body.error.code]).toEqual([503, 'store_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.text).not.toContain('disk')
    expect(control.internal.splice(0)).toHaveLength(1)
    await control.close()
  })

  it('a change that cannot be written returns 503, and a fault in the code returns 500 without details', async () => {
    let error: Error = new StoreUnavailable('write rows')
    const control = await openControl({
      seenStore: (store) => ({ ...store, transaction: async () => broken(error)() }),
    })
    const put = () => control.call('PUT', '/v1/apps/acme', { body: { name: 'Acme' } })
    expect((await put()).body.error.code).toBe('store_unavailable')
    error = new TypeError("Cannot read properties of undefined (reading 'secret')")
    const wrong = await put()
    expect([wrong.status, wrong.body.error.code]).toEqual([500, 'internal'])
    expect(wrong.text).not.toContain('undefined')
    expect(control.internal.splice(0).length).toBeGreaterThan(1)
    await control.close()
  })

  it('if a new application cannot be stored, its ports are released, and no ports of other applications', async () => {
    let isBroken = false
    const control = await openControl({
      seenStore: (store) => ({
        ...store,
        transaction: async (work) => {
          const answer = await store.transaction(work)
          if (isBroken) throw new StoreUnavailable('write rows')
          return answer
        },
      }),
    })
    const put = (slug: string) => control.call('PUT', `/v1/apps/${slug}`, { body: { name: 'Acme' } })
    const stored = await put('acme')
    expect(control.changes.released).toEqual([])
    isBroken = true
    expect((await put('beta')).body.error.code).toBe('store_unavailable')
    expect(control.changes.released).toHaveLength(1)
    expect(control.changes.released[0]?.gateway).toBeGreaterThan(
      Number(new URL(stored.body.localPortal).port),
    )
    control.internal.splice(0)
    await control.close()
  })

  it('a change is kept if its follow-up work fails, and the failure is logged', async () => {
    const control = await openControl({ onApplicationsChanged: broken(new Error('EADDRINUSE')) })
    const answer = await control.call('PUT', '/v1/apps/acme', { body: { name: 'Acme' } })
    expect(answer.status).toBe(200)
    expect((await control.call('GET', '/v1/apps/acme')).status).toBe(200)
    expect(control.internal.splice(0)).toHaveLength(1)
    await control.close()
  })
})

describe('the noun stores', () => {
  it('an unavailable store and an invalid row are different errors', async () => {
    const failing = async (error: Error): Promise<unknown> => {
      const control = await openControl()
      const database: Database = {
        read: control.database.read,
        readFor: () => control.database.read,
        transaction: broken(error),
        isEnvironmental: (thrown) => control.database.isEnvironmental(thrown),
      }
      await control.close()
      return sqlStore(database)
        .transaction(async () => 1)
        .catch((thrown: unknown) => thrown)
    }
    expect(await failing(new SqliteError('full', 'database or disk is full'))).toBeInstanceOf(
      StoreUnavailable,
    )
    expect(await failing(new SqliteError('busy', 'database is locked'))).toBeInstanceOf(StoreUnavailable)
    expect(await failing(new SqliteError('unique', 'UNIQUE constraint failed'))).toBeInstanceOf(SqliteError)
  })
})
