import { expect, it } from 'vitest'
import { ConfigFaults, readConfig } from './config.ts'

it('the demo tier is served from the embedded store, and on PostgreSQL only if asked for', () => {
  const onPostgres = { DATABASE_URL: 'postgres://user@host/db' }
  expect(readConfig({}).servesDemo).toBe(true)
  expect(readConfig({ TOLLGATE_DEMO: 'false' }).servesDemo).toBe(false)
  expect(readConfig(onPostgres).servesDemo).toBe(false)
  expect(readConfig({ ...onPostgres, TOLLGATE_DEMO: 'true' }).servesDemo).toBe(true)
  expect(() => readConfig({ TOLLGATE_DEMO: 'on' })).toThrow(ConfigFaults)
})
