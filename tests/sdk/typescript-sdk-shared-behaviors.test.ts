/**
 * Runs the list of behaviors on the TypeScript SDK's sources. tests/long/typescript-sdk-package.test.ts runs the same
 * list on the built package.
 */
import { afterAll, beforeAll, describe, it } from 'vitest'
import * as sdk from '#sdk/index.ts'
import { startBehaviourServer, type BehaviourServer } from '../../sdk/behaviours/server.ts'
import { cases, play } from '../../sdk/behaviours/typescript.mjs'

describe('the TypeScript SDK', () => {
  let server: BehaviourServer
  beforeAll(async () => {
    server = await startBehaviourServer()
  })
  afterAll(() => server.close())

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => play(sdk, one, server.url))
})
