import { expect, test } from 'vitest'
import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import type { ReleaseRequest } from '#domain/ledger-interface.ts'
import type { BackgroundOrigin } from '#gateway/call/background-watch-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { gatewayLimits, type GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { BackgroundResponseWatcher } from './background-response-watcher.ts'

const callId = '01ja4t9k8h3v2c5b6n7m8p9q0r'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a call that a failed response needs
const call = {
  callId,
  applicationId: 'app_1',
  endUserId: 'eu_1',
  mode: 'live',
  keyId: 'key_1',
  bound: {
    alias: 'acme/fast',
    outputTokens: 10,
    textTokens: 1,
    audioTokens: 0,
    imageTokens: 0,
    serviceTier: null,
  },
  quote: { cost: { rates: {} } },
  target: { accountId: 'prov_1', provider: 'openai', model: 'gpt-5' },
  reservedAtMs: 0,
  inputEstimate: 1,
  checkpoint: null,
  response: { id: 'resp_1', isStreamed: true, deadlineMs: 60_000, firstByteMs: 1, trace: '{}' },
} as unknown as BackgroundCall

const failed = { end: 'failed', answeredBy: null, outputTokens: 0, usage: null } as const

function watching(openCallIds: ReadonlySet<string>) {
  const seen: string[] = []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that the watcher uses here
  const ports = {
    background: { own: async () => [call], find: async () => call, account: async () => null },
    ledger: {
      background: async () => {},
      release: async (released: ReleaseRequest) => void seen.push(`released ${released.callId}`),
    },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    limits: gatewayLimits,
    random: () => 0.5,
  } as unknown as GatewayPorts
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only method that the watcher uses
  const configuration = { config: async () => null } as unknown as Configuration
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only methods that the watcher uses
  const origin = {
    attempts: [],
    key: { endUserId: 'eu_1', mode: 'live' },
    line: { released: () => void seen.push('line') },
    share: { failed: () => void seen.push('daily limits') },
    shared: { released: () => void seen.push('shared limits') },
  } as unknown as BackgroundOrigin
  return { watcher: new BackgroundResponseWatcher(ports, configuration, openCallIds), origin, seen }
}

test('if the process takes over holds while a client reads the stream, the limits still count the end of the response', async () => {
  const open = new Set([callId])
  const { origin, seen, watcher } = watching(open)
  await watcher.begin(call, { outputTokens: 0 })
  await watcher.resume()
  watcher.watch(call, origin)
  open.delete(callId)
  await watcher.settleReported(call, failed)
  expect(seen).toEqual([`released ${callId}`, 'daily limits', 'shared limits', 'line'])
  expect([...watcher.callIds]).toEqual([])
})

test('if a stream ends while the process reads its holds, the process does not watch the response', async () => {
  const open = new Set([callId])
  const { watcher } = watching(open)
  await watcher.begin(call, { outputTokens: 0 })
  const resuming = watcher.resume()
  watcher.streamed(callId)
  open.delete(callId)
  await resuming
  expect([...watcher.callIds]).toEqual([])
})

test('a process watches a response whose hold it has taken over', async () => {
  const { watcher } = watching(new Set())
  await watcher.resume()
  expect([...watcher.callIds]).toEqual([callId])
  watcher.close()
})
